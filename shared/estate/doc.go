// Package estate is what stands in Google Cloud for one installation: services,
// topics, subscriptions, accounts, who may do what, Firestore's field settings and
// scheduled jobs. It is computed from infra/deploy.yaml, infra/groups.yaml and the
// environment in the former, and knows no way to make any of it: scripts/cloud does
// that by gcloud, shared/doctor looks at what is there.
//
// Times come from the services' own environment (ONCEWAY_ACK_DEADLINE,
// ONCEWAY_RETENTION, …), read by shared/setting: a subscription can't disagree with
// the function behind it. Service URLs are Cloud Run's deterministic ones
// (https://SERVICE-NUMBER.REGION.run.app), so that subscriptions and jobs are known
// before anything was deployed.
package estate
