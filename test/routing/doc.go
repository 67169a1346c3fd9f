// Package routing tests routing as it is deployed: several processes on one
// Firestore, and every fallback with the real parts around it. Its tests need
// Google's Firestore emulator (build tag emulators).
package routing
