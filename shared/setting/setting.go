package setting

import "time"

// Backends of claims, letters and routing state.
const (
	Firestore = "firestore"
	Redis     = "redis"
	Postgres  = "postgres"
	Memory    = "memory"
)

// Config is the configuration of every function, the worker and ctl. A section is
// checked only where it is used.
type Config struct {
	Process Process
	Store   Store
	Once    Once
	Letters Letters
	Routing Routing
	Relay   Relay
	Chat    Chat
	Console Console
	Sweep   Sweep
	Worker  Worker
}

// Process is about the process and where it runs.
type Process struct {
	Project string `env:"GOOGLE_CLOUD_PROJECT" help:"project that everything belongs to unless a full name says otherwise"`
	Target  string `env:"FUNCTION_TARGET" help:"the one function to serve at /; empty serves each below /Name"`
	Port    string `env:"PORT, default=8080" help:"port to listen on"`
	Host    string `env:"ONCEWAY_HOST" help:"address to listen on; empty is every one"`
	Service string `env:"K_SERVICE" help:"set by Cloud Run"`
	Local   bool   `env:"ONCEWAY_LOCAL" help:"true marks a run on one machine: memory backends are accepted for destructive work"`

	Grace time.Duration `env:"ONCEWAY_GRACE, default=7s" help:"how long handlers may go on after SIGTERM; Cloud Run kills at 10 s"`
}

// Store is about where claims, letters and routing state are kept.
type Store struct {
	Claims   string `env:"ONCEWAY_CLAIMS, default=firestore" help:"claims and letters: firestore, redis, postgres or memory"`
	State    string `env:"ONCEWAY_STATE, default=firestore" help:"routing state, reservations and audit: firestore or memory"`
	Database string `env:"ONCEWAY_FIRESTORE_DATABASE, default=(default)" help:"Firestore database"`
	Prefix   string `env:"ONCEWAY_PREFIX" help:"put in front of every collection and key name, so that installations can share a store; with PostgreSQL name a schema in the URL"`
	Redis    Secret `env:"ONCEWAY_REDIS_URL" help:"redis://user:password@host:port/db, or rediss:// for TLS"`
	Postgres Secret `env:"ONCEWAY_POSTGRES_URL" help:"postgres://user:password@host:port/database"`
	Capacity int    `env:"ONCEWAY_MEMORY_CAPACITY, default=100000" help:"claims, and letters, that the memory backend holds"`
}

// Once is about claims and the handlers under them.
type Once struct {
	Lease          time.Duration `env:"ONCEWAY_LEASE, default=300s" help:"protects an owner; after it others may look at what was left"`
	HandlerTimeout time.Duration `env:"ONCEWAY_HANDLER_TIMEOUT, default=240s" help:"what a handler gets; shorter than the lease"`
	AckDeadline    time.Duration `env:"ONCEWAY_ACK_DEADLINE, default=600s" help:"the push subscriptions' ack deadline: at least lease + handler time-out + margin"`
	Margin         time.Duration `env:"ONCEWAY_MARGIN, default=30s" help:"kept free at the end of the ack deadline"`
	Wait           time.Duration `env:"ONCEWAY_WAIT, default=20s" help:"how long a duplicate watches a live claim before it is nacked"`
	Poll           time.Duration `env:"ONCEWAY_POLL, default=500ms" help:"how often it looks"`
	SettleAfter    time.Duration `env:"ONCEWAY_SETTLE_AFTER, default=10m" help:"waited beyond a parked owner's lease before anybody may say that it did not act"`
	MaxAttempts    int           `env:"ONCEWAY_MAX_ATTEMPTS, default=5" help:"claims and takeovers before an event is given up"`
	Retention      time.Duration `env:"ONCEWAY_RETENTION, default=168h" help:"the subscriptions' message retention"`
	Slots          int           `env:"ONCEWAY_CONCURRENCY, default=10" help:"deliveries at once in a process (Cloud Run's containerConcurrency); at most half of them wait"`
	Cache          int           `env:"ONCEWAY_CACHE, default=10000" help:"finished keys remembered in the process; 0 is none"`
	StoreTimeout   time.Duration `env:"ONCEWAY_STORE_TIMEOUT, default=5s" help:"bounds one call of the store"`
	FinishBudget   time.Duration `env:"ONCEWAY_FINISH_BUDGET, default=20s" help:"bounds the retries of the write that says that the effect happened"`
}

// TTL is how long DONE and DEAD are kept: as long as a message may come back, from
// its subscription and then from the dead-letter topic, and a day.
func (c Config) TTL() time.Duration {
	return c.Once.Retention + c.Letters.Retention + 24*time.Hour
}

// Letters is about dead letters.
type Letters struct {
	Topic     string        `env:"ONCEWAY_DEADLETTER_TOPIC, default=onceway-dead-letters" help:"dead-letter topic, by name or as projects/P/topics/T"`
	Retention time.Duration `env:"ONCEWAY_DEADLETTER_RETENTION, default=744h" help:"the dead-letter subscription's message retention"`
}

// Routing is about groups and scores.
type Routing struct {
	Groups      string        `env:"ONCEWAY_GROUPS, default=infra/groups.yaml" help:"file of the distribution groups"`
	Policy      string        `env:"ONCEWAY_ROUTE_POLICY, default=corrected" help:"corrected, two-choices, round-robin, weighted-round-robin, lowest or static; stored settings go before it"`
	Mode        string        `env:"ONCEWAY_SCORE_MODE, default=drain" help:"drain, weighted or size; stored settings go before it"`
	Period      time.Duration `env:"ONCEWAY_SCORE_PERIOD, default=60s" help:"how often Score is called"`
	Monitoring  string        `env:"ONCEWAY_MONITORING_ENDPOINT" help:"host:port of a Monitoring stand-in without TLS; empty is Cloud Monitoring"`
	Source      string        `env:"ONCEWAY_BACKLOG_SOURCE, default=monitoring" help:"monitoring, or counters: live ones in ONCEWAY_REDIS_URL, corrected by Cloud Monitoring"`
	Counted     []string      `env:"ONCEWAY_COUNTED" help:"queues that workers keep counters for, as dg01-personalizer; empty with counters means all"`
	MaxMessages int           `env:"ONCEWAY_MAX_CAMPAIGN_MESSAGES, default=10000" help:"messages that one campaign event may bring along"`
}

// Relay is about the function Relay.
type Relay struct {
	URL      string        `env:"ONCEWAY_RELAY_URL" help:"where events are posted to"`
	Verify   string        `env:"ONCEWAY_RELAY_VERIFY_URL" help:"asked whether an operation took effect; {operation} stands for its ID"`
	Policy   string        `env:"ONCEWAY_RELAY_POLICY, default=at-least-once" help:"at-least-once, at-most-once or at-most-once-after-begin"`
	Timeout  time.Duration `env:"ONCEWAY_RELAY_TIMEOUT, default=60s" help:"bounds one request; shorter than the handler time-out"`
	Audience string        `env:"ONCEWAY_RELAY_AUDIENCE" help:"audience of the identity token sent along; empty sends none"`
	Private  bool          `env:"ONCEWAY_RELAY_PRIVATE" help:"true admits loopback and private addresses"`
	Headers  []string      `env:"ONCEWAY_RELAY_HEADERS" help:"message attributes that are passed on as headers of the same name"`
	MaxBody  int64         `env:"ONCEWAY_RELAY_MAX_RESPONSE, default=65536" help:"bytes of an answer that are read before the connection is given up"`
}

// Chat is about the function Chat.
type Chat struct {
	Policy     string        `env:"ONCEWAY_CHAT_POLICY, default=infra/policy.yaml" help:"file of roles"`
	Tools      string        `env:"ONCEWAY_CHAT_TOOLS, default=infra/tools.yaml" help:"file of webhook tools"`
	API        string        `env:"ONCEWAY_CHAT_API, default=https://chat.googleapis.com" help:"base URL of the Chat API"`
	Kubernetes string        `env:"ONCEWAY_KUBECONFIG" help:"kubeconfig file of the cluster that Chat works on; empty is the cluster it runs in, if any"`
	Cluster    string        `env:"ONCEWAY_CLUSTER_ENDPOINT" help:"https URL of a GKE cluster to work on with the service account's own token, instead of a kubeconfig"`
	ClusterCA  string        `env:"ONCEWAY_CLUSTER_CA" help:"file with the certificate of that cluster, PEM; empty where its endpoint has a public one"`
	Alerts     string        `env:"ONCEWAY_ALERTMANAGER_URL" help:"Alertmanager's base URL; empty switches silence off"`
	Working    time.Duration `env:"ONCEWAY_CHAT_WORKING, default=3s" help:"how long a command may take before 'working' is posted"`
	Reply      time.Duration `env:"ONCEWAY_CHAT_REPLY_BUDGET, default=20s" help:"bounds the tries of one post"`
}

// Console is about the function Console. Roles are those of ONCEWAY_CHAT_POLICY.
type Console struct {
	Audience string `env:"ONCEWAY_CONSOLE_AUDIENCE" help:"audience of Identity-Aware Proxy's assertions; empty serves loopback alone"`
	Keys     string `env:"ONCEWAY_CONSOLE_KEYS, default=https://www.gstatic.com/iap/verify/public_key-jwk" help:"where the proxy's public keys stand"`
	Identity string `env:"ONCEWAY_CONSOLE_IDENTITY, default=local@localhost" help:"who everybody is on loopback without the proxy; the policy file gives the role"`
}

// Sweep is about the function Sweep.
type Sweep struct {
	Verify        []string      `env:"ONCEWAY_VERIFY" help:"handlers that are asked about parked claims, as chat,relay"`
	Horizon       time.Duration `env:"ONCEWAY_REDELIVERY_HORIZON, default=30m" help:"after which a claim that nobody settled is reported"`
	VerifyTimeout time.Duration `env:"ONCEWAY_VERIFY_TIMEOUT, default=10s" help:"bounds one question to a handler"`
	Pages         int           `env:"ONCEWAY_SWEEP_PAGES, default=10" help:"pages of 200 claims of each state that one sweep reads"`
}

// Worker is about the pull-mode container.
type Worker struct {
	Subscriptions []string      `env:"ONCEWAY_SUBSCRIPTIONS" help:"what to pull, as Function=subscription,Function=subscription"`
	Outstanding   int           `env:"ONCEWAY_OUTSTANDING, default=4" help:"messages at once for each subscription"`
	Heartbeat     time.Duration `env:"ONCEWAY_HEARTBEAT, default=0s" help:"how often a running handler's lease is renewed; at most a third of the lease; 0 is never"`
	Address       string        `env:"ONCEWAY_WORKER_ADDRESS, default=:9090" help:"where /healthz, /readyz and /metrics are served"`
}
