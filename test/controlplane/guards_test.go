//go:build controlplane

package controlplane

import (
	"strings"
	"testing"
)

// TestWhatMustNotBeInstalledIsNotRendered: each guard refuses its fault, with a sentence
// that says which value to change.
func TestWhatMustNotBeInstalledIsNotRendered(t *testing.T) {
	t.Parallel()
	const adapter, keda = "autoscaling.adapter.enabled=true", "autoscaling.keda.enabled=true"
	window := func(min string) string {
		return `windows.list=[{"name":"evening","start":"0 17 * * *","end":"0 21 * * *","minReplicas":` + min + `}]`
	}
	for _, tt := range []struct {
		name string
		set  []string // name=JSON, or name=text
		want string
	}{
		{"memory, two replicas", []string{"claims.backend=memory", "replicas=2"}, "claims.backend memory with replicas 2: pods don't see each other's claims and would act twice; set claims.backend to firestore, redis or postgres, or replicas to 1."},
		{"memory, adapter", []string{"claims.backend=memory", adapter}, "claims.backend memory with autoscaling: pods don't see each other's claims and would act twice; set claims.backend to firestore, redis or postgres, or switch autoscaling off."},
		{"memory, KEDA", []string{"claims.backend=memory", keda}, "claims.backend memory with autoscaling: pods don't see each other's claims and would act twice; set claims.backend to firestore, redis or postgres, or switch autoscaling off."},
		{"autoscaling without subscription", []string{adapter, "subscriptions=[]"}, "autoscaling has no subscription to scale by: name it in subscriptions, or set autoscaling.adapter.enabled and autoscaling.keda.enabled to false. Without one the metric would count every queue of the project."},
		{"no subscription", []string{"subscriptions=[]"}, "subscriptions is empty: name at least one to pull, as {function: Relay, name: orders-relay}."},
		{"a subscription twice", []string{`subscriptions=[{"function":"Relay","name":"orders"},{"function":"Campaigns","name":"projects/demo-project/subscriptions/orders"}]`}, "subscriptions has projects/demo-project/subscriptions/orders twice: remove one, two functions on one subscription would take each other's messages."},
		{"maximum below minimum", []string{adapter, "autoscaling.minReplicas=5", "autoscaling.maxReplicas=3"}, "autoscaling.maxReplicas 3 is below autoscaling.minReplicas 5: raise the one or lower the other."},
		{"minimum zero", []string{keda, "autoscaling.minReplicas=0"}, "autoscaling.minReplicas 0 leaves nobody to pull until a figure of minutes ago says so: set it to 1, or set autoscaling.allowZero to true if that is meant."},
		{"ack deadline", []string{"pubsub.ackDeadlineSeconds=500"}, "pubsub.ackDeadlineSeconds 500 is below claims.leaseSeconds 300 + claims.handlerTimeoutSeconds 240 + claims.marginSeconds 30 = 570: raise it (Pub/Sub allows 600) or shorten those, or renew leases with worker.heartbeatSeconds."},
		{"handler time-out over the lease", []string{"claims.handlerTimeoutSeconds=300"}, "claims.handlerTimeoutSeconds 300 is not below claims.leaseSeconds 300: another pod would take over while the handler runs; shorten it, lengthen the lease, or renew leases with worker.heartbeatSeconds."},
		{"slow heartbeat", []string{"worker.heartbeatSeconds=150"}, "worker.heartbeatSeconds 150 is over a third of claims.leaseSeconds 300: one renewal that fails would lose the lease; set it to 100 or less."},
		{"TTL by variable", []string{"env.ONCEWAY_RETENTION=24h"}, "env.ONCEWAY_RETENTION would get round the chart's checks: remove it and set pubsub.retentionHours."},
		{"TTL by value", []string{"claims.ttlHours=24"}, "claims.ttlHours is no value of its own: claims live as long as a message can come back, so set pubsub.retentionHours and pubsub.deadLetterRetentionHours to the subscriptions' retention."},
		{"dead letters kept too short", []string{"pubsub.deadLetterRetentionHours=100"}, "pubsub.deadLetterRetentionHours 100 is below pubsub.retentionHours 168: claims' TTL is counted from both and a dead letter must outlast what it is a letter of; set it to 744."},
		{"KEDA and adapter", []string{adapter, keda}, "autoscaling.adapter and autoscaling.keda are both on: each wants to serve external.metrics.k8s.io and to set the number of pods; set one of them to false."},
		{"expected backlog without adapter", []string{"subscriptions[0].expectedBacklog=true", "subscriptions[0].function=Campaigns", "subscriptions[0].name=dg01-personalizer"}, "subscription dg01-personalizer has expectedBacklog, which the adapter's autoscaler alone reads: set autoscaling.adapter.enabled to true, or this to false."},
		{"window over the maximum", []string{adapter, window("11")}, "window evening wants minReplicas 11, over autoscaling.maxReplicas 10: lower it or raise the maximum."},
		{"window that raises nothing", []string{adapter, window("1")}, "window evening wants minReplicas 1, which raises nothing above autoscaling.minReplicas 1: raise it or remove the window."},
		{"window without autoscaler", []string{window("5")}, "windows raise an autoscaler's minimum and there is none: set autoscaling.adapter.enabled or autoscaling.keda.enabled to true, or empty windows.list."},
		{"grace", []string{"worker.terminationGracePeriodSeconds=60"}, "worker.terminationGracePeriodSeconds 60 ends pods before their claims are settled: set it to 90 or more, or to null to have it counted from worker.graceSeconds."},
		{"Redis without URL", []string{"claims.backend=redis"}, "claims.backend redis has no URL: put it in a Secret and set claims.redis.secretName to its name."},
		{"PostgreSQL without URL", []string{"claims.backend=postgres"}, "claims.backend postgres has no URL: put it in a Secret and set claims.postgres.secretName to its name."},
		{"no project", []string{`project=""`}, "project is empty: set it to the project whose subscriptions are pulled."},
		{"no image", []string{`image.repository=""`}, "image.repository is empty: set it to where the image is, as REGION-docker.pkg.dev/PROJECT/REPOSITORY/onceway."},
		{"image latest", []string{"image.tag=latest"}, "image.digest and image.tag don't say which image: set image.digest to sha256:…, or image.tag to a version other than latest."},
		{"rights for nobody", []string{`chat.namespaces=["payments"]`}, "chat.namespaces gives rights over Deployments that nothing here uses: empty it, or name Chat's subscription in subscriptions."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := render(t.Context(), "acme", setFlags(tt.set)...)
			if err == nil {
				t.Fatal("it was rendered")
			}
			if !strings.Contains(err.Error(), "- "+tt.want) {
				t.Errorf("the refusal does not say what to change:\n%v\nwant: %s", err, tt.want)
			}
			t.Logf("refused: %s", tt.want)
		})
	}
}

// TestGuardsLetWhatIsMeantPass: a guard that refuses everything proves nothing.
func TestGuardsLetWhatIsMeantPass(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"memory, one replica":                 {"claims.backend=memory"},
		"zero, opted in":                      {"autoscaling.keda.enabled=true", "autoscaling.minReplicas=0", "autoscaling.allowZero=true"},
		"long handlers that renew the lease":  {"claims.handlerTimeoutSeconds=3600", "worker.heartbeatSeconds=100"},
		"ack deadline that is just enough":    {"pubsub.ackDeadlineSeconds=570"},
		"grace that is just enough":           {"worker.terminationGracePeriodSeconds=90"},
		"one subscription ID in two projects": {`subscriptions=[{"function":"Relay","name":"orders"},{"function":"Relay","name":"projects/globex-prod/subscriptions/orders"}]`},
		"a variable that the chart leaves":    {"env.ONCEWAY_RELAY_URL=https://payments.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustRender(t, "acme", setFlags(set)...)
		})
	}
}

// setFlags passes text as text, and lists, numbers and what is quoted as JSON.
func setFlags(set []string) []string {
	var flags []string
	for _, s := range set {
		_, value, _ := strings.Cut(s, "=")
		flag := "--set="
		if strings.HasPrefix(value, "[") || strings.HasPrefix(value, `"`) {
			flag = "--set-json="
		}
		flags = append(flags, flag+s)
	}
	return flags
}
