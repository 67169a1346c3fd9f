// Package letter keeps dead letters: Pub/Sub can't list or look up what stands in
// a dead-letter topic, so every letter is stored before it is acknowledged there.
package letter
