package main

import (
	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

type pushConfig func(url string) *pubsubpb.PushConfig

var forms = []struct {
	name   string
	config pushConfig
}{
	{"wrapped", func(url string) *pubsubpb.PushConfig {
		return &pubsubpb.PushConfig{PushEndpoint: url}
	}},
	{"unwrapped", func(url string) *pubsubpb.PushConfig {
		return &pubsubpb.PushConfig{PushEndpoint: url, Wrapper: &pubsubpb.PushConfig_NoWrapper_{
			NoWrapper: &pubsubpb.PushConfig_NoWrapper{WriteMetadata: true},
		}}
	}},
	{"bare", func(url string) *pubsubpb.PushConfig {
		return &pubsubpb.PushConfig{PushEndpoint: url, Wrapper: &pubsubpb.PushConfig_NoWrapper_{
			NoWrapper: &pubsubpb.PushConfig_NoWrapper{},
		}}
	}},
}

var messages = []struct {
	name    string
	message pubsub.Message
}{
	{"plain", pubsub.Message{Data: []byte(`{"campaign":"spring","customer":"acme"}`)}},
	{"attributes", pubsub.Message{
		Data:        []byte(`{"campaign":"spring","customer":"acme"}`),
		Attributes:  map[string]string{"onceway-key": "acme/spring", "Region": "EU", "note": "grün & gut"},
		OrderingKey: "acme",
	}},
	{"no-data", pubsub.Message{Attributes: map[string]string{"onceway-key": "acme/spring"}}},
	{"binary-event", pubsub.Message{
		Data: []byte(`{"order":7}`),
		Attributes: map[string]string{
			"ce-specversion": "1.0", "ce-id": "order-7", "ce-source": "//shop.acme.example/orders",
			"ce-type": "example.acme.order.placed", "ce-time": "2026-01-02T03:04:05Z", "content-type": "application/json",
		},
	}},
	{"structured-event", pubsub.Message{
		Data:       []byte(`{"specversion":"1.0","id":"order-7","source":"//shop.acme.example/orders","type":"example.acme.order.placed","datacontenttype":"application/json","data":{"order":7}}`),
		Attributes: map[string]string{"content-type": "application/cloudevents+json; charset=utf-8"},
	}},
}
