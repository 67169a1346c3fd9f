package envelope_test

const (
	campaign  = `{"campaign":"spring","customer":"acme"}`
	published = "google.cloud.pubsub.topic.v1.messagePublished"
	pubsubSub = "//pubsub.googleapis.com/projects/demo-project/subscriptions/"
	relayPub  = "//pubsub.googleapis.com/projects/demo-project/topics/relay"
	orderOf   = "order-7 example.acme.order.placed //shop.acme.example/orders "
	order     = `{"order":7}`
	broken    = `{"specversion":"1.0","id":`
	orderJSON = `{"specversion":"1.0","id":"order-7","source":"//shop.acme.example/orders","type":"example.acme.order.placed","datacontenttype":"application/json","data":{"order":7}}`
)

// wanted says for each golden push what a handler must see.
func wanted() map[string]seen {
	binary := func(extra ...string) map[string]string {
		m := map[string]string{
			"ce-specversion": "1.0", "ce-id": "order-7", "ce-source": "//shop.acme.example/orders",
			"ce-type": "example.acme.order.placed", "content-type": "application/json",
		}
		for i := 0; i < len(extra); i += 2 {
			m[extra[i]] = extra[i+1]
		}
		return m
	}
	key := map[string]string{"onceway-key": "acme/spring"}
	structured := map[string]string{"content-type": "application/cloudevents+json; charset=utf-8"}
	keyJSON := map[string]string{"onceway-key": "acme/spring", "content-type": "application/json"}
	onTime := "03:04:05.678"
	madeFor := func(id, source, at, contentType string) string {
		return id + " " + published + " " + source + " " + at + " " + contentType
	}
	service := func(s seen) seen {
		s.ID, s.Data, s.EventData = "136969346945", campaign, campaign
		if s.Published == "" {
			s.Published = onTime
		}
		s.Sub = "relay-push"
		return s
	}
	return map[string]seen{
		"emulator-wrapped-plain": {
			ID: "1", Sub: "emulator-wrapped-plain", Data: campaign, EventData: campaign, Published: "03:04:05.619",
			Event: madeFor("1", pubsubSub+"emulator-wrapped-plain", "03:04:05.619", ""),
		},
		"emulator-wrapped-attributes": {
			ID: "2", Sub: "emulator-wrapped-attributes", Data: campaign, EventData: campaign, Published: "03:04:05.914",
			Attrs: map[string]string{"onceway-key": "acme/spring", "Region": "EU", "note": "grün & gut"},
			Event: madeFor("2", pubsubSub+"emulator-wrapped-attributes", "03:04:05.914", ""),
		},
		"emulator-wrapped-no-data": {
			ID: "3", Sub: "emulator-wrapped-no-data", Published: "03:04:05.062", Attrs: key,
			Event: madeFor("3", pubsubSub+"emulator-wrapped-no-data", "03:04:05.062", ""),
		},
		"emulator-wrapped-binary-event": {
			ID: "4", Sub: "emulator-wrapped-binary-event", Data: order, EventData: order, Published: "03:04:05.206", Own: true,
			Attrs: binary("ce-time", "2026-01-02T03:04:05Z"), Event: orderOf + "03:04:05.000 application/json",
		},
		"emulator-wrapped-structured-event": {
			ID: "5", Sub: "emulator-wrapped-structured-event", Data: orderJSON, EventData: order, Published: "03:04:05.333", Own: true,
			Attrs: structured, Event: orderOf + "- application/json",
		},
		"emulator-unwrapped-plain": {
			ID: "6", Sub: "emulator-unwrapped-plain", Data: campaign, EventData: campaign, Published: "03:04:05.469",
			Event: madeFor("6", pubsubSub+"emulator-unwrapped-plain", "03:04:05.469", ""),
		},
		"emulator-unwrapped-attributes": {
			ID: "7", Sub: "emulator-unwrapped-attributes", Order: "acme", Data: campaign, EventData: campaign, Published: "03:04:05.600",
			Attrs: map[string]string{"onceway-key": "acme/spring", "region": "EU", "note": "grün & gut"},
			Event: madeFor("7", pubsubSub+"emulator-unwrapped-attributes", "03:04:05.600", ""),
		},
		"emulator-unwrapped-no-data": {
			ID: "8", Sub: "emulator-unwrapped-no-data", Published: "03:04:05.723", Attrs: key,
			Event: madeFor("8", pubsubSub+"emulator-unwrapped-no-data", "03:04:05.723", ""),
		},
		"emulator-unwrapped-binary-event": {
			ID: "9", Sub: "emulator-unwrapped-binary-event", Data: order, EventData: order, Published: "03:04:05.854", Own: true,
			Attrs: binary("ce-time", "2026-01-02T03:04:05Z"), Event: orderOf + "03:04:05.000 application/json",
		},
		"emulator-unwrapped-structured-event": {
			ID: "10", Sub: "emulator-unwrapped-structured-event", Data: orderJSON, EventData: order, Published: "03:04:05.981", Own: true,
			Attrs: structured, Event: orderOf + "- application/json",
		},
		"service-wrapped": service(seen{
			Order: "acme", Attempt: 3, Attrs: key, Event: madeFor("136969346945", pubsubSub+"relay-push", onTime, ""),
		}),
		"service-wrapped-snake-only": service(seen{
			Event: madeFor("136969346945", pubsubSub+"relay-push", onTime, ""),
		}),
		"service-wrapped-unknown-fields": service(seen{
			Order: "acme", Event: madeFor("136969346945", pubsubSub+"relay-push", onTime, ""),
		}),
		"service-unwrapped": service(seen{
			Order: "acme", Attrs: keyJSON, Event: madeFor("136969346945", pubsubSub+"relay-push", onTime, "application/json"),
		}),
		"eventarc-binary": service(seen{
			Order: "acme", Attempt: 2, Attrs: key, Event: madeFor("136969346945", relayPub, onTime, ""),
		}),
		"eventarc-structured": service(seen{
			Order: "acme", Attrs: key, Event: madeFor("136969346945", relayPub, onTime, ""),
		}),
		"eventarc-own-event": service(seen{
			Order: "acme", Own: true, Attrs: binary(), Event: orderOf + "- application/json",
		}),
		"eventarc-storage": {
			ID: "7", Data: `{"bucket":"acme","name":"list.csv"}`, EventData: `{"bucket":"acme","name":"list.csv"}`, Published: "-", Own: true,
			Attrs: map[string]string{
				"ce-specversion": "1.0", "ce-id": "7", "ce-source": "//storage.googleapis.com/projects/_/buckets/acme", "ce-bucket": "acme",
				"ce-subject": "objects/list.csv", "ce-type": "google.cloud.storage.object.v1.finalized", "content-type": "application/json",
			},
			Event: "7 google.cloud.storage.object.v1.finalized //storage.googleapis.com/projects/_/buckets/acme - application/json",
		},
		"http-structured": {
			ID: "order-7", Data: "{\n    \"order\": 7\n  }", EventData: "{\n    \"order\": 7\n  }", Published: "-", Own: true,
			Attrs: binary("ce-time", "2026-01-02T03:04:05Z", "ce-tenant", "acme"), Event: orderOf + "03:04:05.000 application/json",
		},
		"http-structured-base64": {
			ID: "order-7", Data: "\x01\x02", EventData: "\x01\x02", Published: "-", Own: true,
			Attrs: binary("ce-time", "2026-01-02T03:04:05Z", "ce-tenant", "acme", "content-type", "application/octet-stream"),
			Event: orderOf + "03:04:05.000 application/octet-stream",
		},
		"wrapped-broken-event": {
			ID: "9", Sub: "relay-push", Data: broken, EventData: broken, Published: "-",
			Attrs: map[string]string{"content-type": "application/cloudevents+json"},
			Event: madeFor("9", pubsubSub+"relay-push", "-", "application/cloudevents+json"),
		},
		"wrapped-broken-time": {
			ID: "9", Sub: "relay-push", Data: "{}", EventData: "{}", Published: "-", Attempt: 2,
			Attrs: map[string]string{"ce-specversion": "1.0", "ce-id": "a", "ce-source": "b", "ce-type": "c", "ce-time": "yesterday"},
			Event: madeFor("9", pubsubSub+"relay-push", "-", ""),
		},
	}
}
