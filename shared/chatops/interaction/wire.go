package interaction

import (
	"encoding/json"
)

// loose takes a JSON string, number or null.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] == '"' || string(b) == "null" {
		return json.Unmarshal(b, (*string)(l))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*l = loose(n)
	return nil
}

type wireUser struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Type  string `json:"type"`
}

func (u wireUser) user() User { return User{Name: u.Name, Email: u.Email, Bot: u.Type == "BOT"} }

type wireSpace struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	SpaceType string `json:"spaceType"`
	Single    bool   `json:"singleUserBotDm"`
}

func (s wireSpace) space() Space {
	return Space{Name: s.Name, Direct: s.Single || s.SpaceType == "DIRECT_MESSAGE" || s.Type == "DM"}
}

type wireThread struct {
	Name string `json:"name"`
}

type wireCommand struct {
	ID   loose  `json:"commandId"`
	Name string `json:"commandName"`
}

type wireAnnotation struct {
	Type   string `json:"type"`
	Start  int    `json:"startIndex"`
	Length int    `json:"length"`
	User   *struct {
		User wireUser `json:"user"`
	} `json:"userMention"`
	Slash *wireCommand `json:"slashCommand"`
}

type wireMessage struct {
	Name        string           `json:"name"`
	Sender      wireUser         `json:"sender"`
	CreateTime  string           `json:"createTime"`
	Text        string           `json:"text"`
	Argument    *string          `json:"argumentText"`
	Thread      wireThread       `json:"thread"`
	Space       wireSpace        `json:"space"`
	Annotations []wireAnnotation `json:"annotations"`
	Slash       *wireCommand     `json:"slashCommand"`
}

type wireMetadata struct {
	ID loose `json:"appCommandId"`
}

// wireCommon is commonEventObject, called "common" in the Chat API's shape.
type wireCommon struct {
	Function   string            `json:"invokedFunction"`
	Parameters map[string]string `json:"parameters"`
}

// wireChatAPI is an interaction event of the Chat API.
type wireChatAPI struct {
	EventTime string       `json:"eventTime"`
	User      wireUser     `json:"user"`
	Space     wireSpace    `json:"space"`
	Thread    wireThread   `json:"thread"`
	Message   *wireMessage `json:"message"`
	Action    struct {
		Function   string `json:"actionMethodName"`
		Parameters []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"parameters"`
	} `json:"action"`
	Common  wireCommon    `json:"common"`
	Command *wireMetadata `json:"appCommandMetadata"`
	Dialog  bool          `json:"isDialogEvent"`
}

// wirePayload is any of an add-on's payloads: they share their fields.
type wirePayload struct {
	Message *wireMessage  `json:"message"`
	Space   wireSpace     `json:"space"`
	Thread  wireThread    `json:"thread"`
	Command *wireMetadata `json:"appCommandMetadata"`
	Dialog  bool          `json:"isDialogEvent"`
}

// wireAddOn is the "chat" object of an add-on's event.
type wireAddOn struct {
	EventTime string       `json:"eventTime"`
	User      wireUser     `json:"user"`
	Space     wireSpace    `json:"space"`
	Message   *wirePayload `json:"messagePayload"`
	Added     *wirePayload `json:"addedToSpacePayload"`
	Removed   *wirePayload `json:"removedFromSpacePayload"`
	Button    *wirePayload `json:"buttonClickedPayload"`
	Widget    *wirePayload `json:"widgetUpdatedPayload"`
	Command   *wirePayload `json:"appCommandPayload"`
}
