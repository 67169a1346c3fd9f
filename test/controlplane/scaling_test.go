//go:build controlplane

package controlplane

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/test/controlplane/cluster"
	"onceway.internal/test/controlplane/external"
	"onceway.internal/test/controlplane/kubelet"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
)

func TestMain(m *testing.M) { servers.Main(m) }

const (
	project    = "demo-project"
	deployment = "orders-onceway-worker"
	metric     = "pubsub.googleapis.com|subscription|num_undelivered_messages"
)

// TestBacklogScalesWorkersAndEveryMessageActsOnce: 500 slow messages take the Deployment
// from one worker to at least four and back, and each of them acts once, though workers
// end under them: by a rolling update and as the autoscaler takes pods away.
func TestBacklogScalesWorkersAndEveryMessageActsOnce(t *testing.T) {
	const messages = 500
	worker := buildWorker(t)
	c := cluster.Start(t)
	restricted(t, c, "acme")
	topic := newQueue(t, "orders", "orders-relay")
	service := newWitness(t, 300*time.Millisecond)
	var published atomic.Int64
	backlog := func() int64 {
		orders, _ := service.count()
		return published.Load() - int64(orders)
	}
	external.Serve(t, c, func(q external.Query) (int64, bool) {
		known := q.Metric == metric && q.Labels["resource.labels.subscription_id"] == "orders-relay" && q.Labels["resource.labels.project_id"] == project
		return backlog(), known
	})
	pods := kubelet.Run(t, kubelet.Config{Cluster: c, Namespace: "acme", Programs: map[string]string{"/worker": worker}, Env: workerEnv})
	install := func(revision string) {
		c.Apply(t, "acme", mustRender(t, "acme", append(scalingValues(t, service.URL), "--set-string=podAnnotations.revision="+revision)...))
	}

	install("1")
	replicas := watchDeployment(t, c, "acme", deployment, backlog)
	defer func() { t.Logf("replicas over time:\n%s", replicas) }()
	wait.Until(t, time.Minute, "one worker ready", func() bool { m := replicas.now(); return m.wanted == 1 && m.ready == 1 })

	orders := publish(t, topic, 0, messages, &published)
	wait.Until(t, 2*time.Minute, "four workers ready and 100 orders acted on", func() bool {
		n, _ := service.count()
		return replicas.now().ready >= 4 && n >= 100
	})
	before := len(pods.Exits())
	install("2")
	wait.Until(t, 5*time.Minute, "every order acted on", func() bool { n, _ := service.count(); return n == messages })
	if before > 0 || len(pods.Exits()) == 0 {
		t.Errorf("%d workers had ended before the rolling update, %d by the last order; want it to end some in the middle", before, len(pods.Exits()))
	}
	settled := func() bool {
		m := replicas.now()
		return m.wanted == 1 && m.pods == 1 && m.ready == 1 && m.ofNewest == 1
	}
	wait.Until(t, 2*time.Minute, "back at one worker", settled)
	orders = append(orders, publish(t, topic, messages, 5, &published)...)
	wait.Until(t, time.Minute, "the worker that is left acting", func() bool { return backlog() == 0 })

	service.check(t, orders)
	if !replicas.any(func(m moment) bool { return m.wanted >= 4 && m.backlog > 0 }) {
		t.Error("at no time four replicas were wanted")
	}
	checkExits(t, pods.Exits())
}

// checkExits: whoever was asked to end did so by itself, within its grace period.
func checkExits(t *testing.T, exits []kubelet.Exit) {
	t.Helper()
	var longest time.Duration
	for _, e := range exits {
		longest = max(longest, e.Took)
		if !e.Asked || e.Killed || e.Code != 0 {
			t.Errorf("%s: exit code %d, asked %v, killed %v after %v; it said:\n%s", e.Pod, e.Code, e.Asked, e.Killed, e.Took, e.Said)
		}
	}
	t.Logf("%d workers ended by SIGTERM, the slowest in %v", len(exits), longest.Round(time.Millisecond))
}

func scalingValues(t *testing.T, service string) []string {
	return []string{
		"--set=autoscaling.adapter.enabled=true", "--set=autoscaling.maxReplicas=6", "--set=autoscaling.messagesPerReplica=40",
		// down as soon as the backlog says so, so that pods go while there is work
		`--set-json=autoscaling.behavior.scaleDown={"stabilizationWindowSeconds":0,"policies":[{"type":"Pods","value":6,"periodSeconds":1}]}`,
		"--set=worker.graceSeconds=20",
		// what was on its way to a worker that ends comes again after its lease
		"--set=claims.leaseSeconds=30", "--set=claims.handlerTimeoutSeconds=20", "--set-string=env.ONCEWAY_RELAY_TIMEOUT=15s",
		"--set-string=env.ONCEWAY_RELAY_URL=" + service, "--set=env.ONCEWAY_RELAY_PRIVATE=true",
		"--set-string=env.PUBSUB_EMULATOR_HOST=" + servers.PubSub(t), "--set-string=env.FIRESTORE_EMULATOR_HOST=" + servers.Firestore(t),
	}
}

func workerEnv(_ kubelet.Pod, addr string) []string {
	return []string{"ONCEWAY_WORKER_ADDRESS=" + addr}
}

// restricted makes a namespace that refuses pods that could do harm.
func restricted(t *testing.T, c *cluster.Cluster, namespace string) {
	t.Helper()
	c.Kubectl(t, "create", "namespace", namespace)
	c.Kubectl(t, "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
}

// buildWorker builds the binary as the image's Dockerfile does.
func buildWorker(t *testing.T) string {
	t.Helper()
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "worker")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "./functions/worker")
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build worker: %v: %s", err, out)
	}
	return path
}

// newQueue makes a topic with a pull subscription. It has no retry policy: the emulator
// sends a stream many more messages than it asks for, so a worker that ends hands many
// back, some of them again and again, and a back-off that doubles each time lasts for
// minutes there, whatever its maximum.
func newQueue(t *testing.T, name, subscription string) *pubsub.Publisher {
	t.Helper()
	client, err := pubsub.NewClient(t.Context(), project, option.WithEndpoint(servers.PubSub(t)), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	full := "projects/" + project + "/topics/" + name
	if _, err := client.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: full}); err != nil {
		t.Fatal(err)
	}
	_, err = client.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{
		Name: "projects/" + project + "/subscriptions/" + subscription, Topic: full, AckDeadlineSeconds: 600,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := client.Publisher(full)
	t.Cleanup(func() {
		p.Stop()
		if err := client.Close(); err != nil {
			t.Errorf("close Pub/Sub client: %v", err)
		}
	})
	return p
}

// publish publishes n orders and answers with their names.
func publish(t *testing.T, p *pubsub.Publisher, first, n int, published *atomic.Int64) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	names, results := make([]string, n), make([]*pubsub.PublishResult, n)
	for i := range n {
		names[i] = fmt.Sprintf("order-%06d", first+i)
		results[i] = p.Publish(ctx, &pubsub.Message{Data: []byte(`{"order":"` + names[i] + `"}`)})
	}
	for _, r := range results {
		if _, err := r.Get(ctx); err != nil {
			t.Fatalf("publish: %v", err)
		}
		published.Add(1)
	}
	return names
}
