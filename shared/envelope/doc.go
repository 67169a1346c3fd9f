// Package envelope turns every form in which an event is delivered into one Message.
package envelope
