// Package deployment gives operators the commands about Deployments in Kubernetes:
// status, restart, scale and rollback.
//
// Every change is one PATCH that is a compare-and-swap on the resourceVersion and
// writes the operation ID into a list annotation on the Deployment, in the same
// patch. So a repeat finds its ID and changes nothing, a patch whose answer was
// lost may be sent again, and Verify can answer later.
//
// The list is bounded. It says since when it is complete: from when it was begun,
// from the newest entry that was dropped, or from when somebody else was found to
// have changed it. "kubectl rollout undo" does that: it restores the annotations
// that the older ReplicaSet was made with. The API server's field ownership
// shows it: whoever changed a field last owns it. Only an operation that is
// missing from a list that is ours and was complete before the operation was
// asked for has certainly not happened; in every other case Verify answers Unknown.
//
// The API is spoken in JSON over net/http, with client-go's rest package for
// credentials and transport, and the apps/v1 types. Measured on the functions'
// dependencies (stripped binary, least start of 25): without Kubernetes 16.8 MB
// and 8.7 ms; apps/v1 types 23.9 MB and 11.2 ms; with rest and kubeconfig files
// 25.9 MB and 12.0 ms; with the clientset 42.7 MB and 29.5 ms.
package deployment
