// Package deploy proves what is deployed, without a cloud: the real gcloud, against a
// stand-in that remembers and Google's Pub/Sub emulator behind it. strict is a module
// of its own for Google's heavy types.
package deploy
