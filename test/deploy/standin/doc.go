// Package standin answers for Google's APIs as gcloud and shared/doctor call them: it
// remembers what is made, tells it when asked, and records every change. One server
// stands for all APIs; their paths don't collide. What gcloud never sends to provision
// or deploy is answered 501, so that nothing passes by accident.
//
// It knows what the tests need to know and checks nothing that Google would check:
// gcloud does that, and the strict parsing of files. Pub/Sub may be forwarded to
// Google's emulator, which does check; only IAM, which the emulator has not, is then
// answered here.
package standin
