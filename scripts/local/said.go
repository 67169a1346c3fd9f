package main

import "time"

// said is a Chat interaction event: the operator says text to the app, in a thread
// named for the event.
func said(name, text string) []byte {
	const room = "spaces/AAAAops"
	now := time.Now().UTC().Format(time.RFC3339Nano)
	user := map[string]any{"name": "users/101", "displayName": "On Call", "email": operator, "type": "HUMAN"}
	space := map[string]any{"name": room, "type": "ROOM", "spaceType": "SPACE"}
	thread := map[string]any{"name": room + "/threads/" + name}
	return document(map[string]any{
		"type": "MESSAGE", "eventTime": now, "user": user, "space": space, "thread": thread,
		"message": map[string]any{
			"name": room + "/messages/" + name, "sender": user, "createTime": now, "text": "@Onceway " + text,
			"argumentText": " " + text, "thread": thread, "space": space,
			"annotations": []map[string]any{{
				"type": "USER_MENTION", "startIndex": 0, "length": 8,
				"userMention": map[string]any{"user": map[string]any{"name": "users/900", "type": "BOT"}, "type": "MENTION"},
			}},
		},
	})
}
