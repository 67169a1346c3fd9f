// Package interaction reads what Google Chat sends to an app: interaction events
// of the Chat API (type, message, user, space, action) and the event objects of a
// Workspace add-on (commonEventObject, chat.…Payload). Both become one Event.
//
// Only the fields that are used are decoded, each leniently where the two shapes
// or their documentation differ (a command's ID is a number in one place and a
// string in another). The generated chat/v1 types are stricter than what
// arrives, and one surprising field in a part that nobody reads would make a
// restart command poison; the tests hold the golden payloads against them.
//
// A type that is not known is not an error: Google adds types, and an app that
// fails on them is sent them again and again.
package interaction
