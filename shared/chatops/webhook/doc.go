// Package webhook lets teams add commands of their own by YAML: each calls a URL
// with the arguments, under the operation ID as Idempotency-Key.
//
// What an answer means, for a destructive tool (beside it, for others):
//
//	no connection came about         no effect, tried again
//	its address must not be called   shown, finished
//	2xx                              done
//	4xx but 408, 409, 425, 429       refused: shown, finished
//	all else, or none in time        it may have happened: parked (tried again)
//
// Where the words leave it open:
//   - Redirects are not followed and proxies from the environment not used: both
//     would call something that tools.yaml does not name.
//   - A connection serves one call. net/http repeats a request that carries an
//     Idempotency-Key when a reused connection breaks, which is right for those who
//     deduplicate and a second restart for those who don't.
//   - The body is the same in every try, as receivers compare it under one key;
//     the epoch, which grows, is the header Onceway-Epoch.
package webhook
