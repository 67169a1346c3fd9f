package local

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type topic struct {
	config *pubsubpb.Topic
	queues map[string]*queue // by subscription name
}

// CreateTopic answers AlreadyExists to a repeat.
func (s *Server) CreateTopic(_ context.Context, t *pubsubpb.Topic) (*pubsubpb.Topic, error) {
	if !validName(t.GetName(), "topics") {
		return nil, status.Errorf(codes.InvalidArgument, "topic name %q is not projects/P/topics/T", t.GetName())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.topics[t.Name] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "topic %q exists", t.Name)
	}
	s.topics[t.Name] = &topic{config: clone(t), queues: map[string]*queue{}}
	return t, nil
}

// GetTopic answers NotFound for a topic that was not created.
func (s *Server) GetTopic(_ context.Context, req *pubsubpb.GetTopicRequest) (*pubsubpb.Topic, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.topics[req.GetTopic()]
	if t == nil {
		return nil, noTopic(req.GetTopic())
	}
	return clone(t.config), nil
}

// ListTopics answers with all topics of a project on one page.
func (s *Server) ListTopics(_ context.Context, req *pubsubpb.ListTopicsRequest) (*pubsubpb.ListTopicsResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	res := &pubsubpb.ListTopicsResponse{}
	for _, name := range sortedUnder(s.topics, req.GetProject()) {
		res.Topics = append(res.Topics, clone(s.topics[name].config))
	}
	return res, nil
}

// ListTopicSubscriptions answers with the names of a topic's subscriptions on one page.
func (s *Server) ListTopicSubscriptions(_ context.Context, req *pubsubpb.ListTopicSubscriptionsRequest) (*pubsubpb.ListTopicSubscriptionsResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.topics[req.GetTopic()]
	if t == nil {
		return nil, noTopic(req.GetTopic())
	}
	return &pubsubpb.ListTopicSubscriptionsResponse{Subscriptions: sortedUnder(t.queues, "")}, nil
}

// DeleteTopic leaves the topic's subscriptions with what they hold, as the service does.
func (s *Server) DeleteTopic(_ context.Context, req *pubsubpb.DeleteTopicRequest) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.topics[req.GetTopic()] == nil {
		return nil, noTopic(req.GetTopic())
	}
	delete(s.topics, req.Topic)
	return &emptypb.Empty{}, nil
}

// Publish stores the messages in every subscription of the topic before it answers.
func (s *Server) Publish(_ context.Context, req *pubsubpb.PublishRequest) (*pubsubpb.PublishResponse, error) {
	if len(req.GetMessages()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "nothing to publish")
	}
	for _, m := range req.Messages {
		if len(m.GetData()) == 0 && len(m.GetAttributes()) == 0 {
			return nil, status.Error(codes.InvalidArgument, "a message needs data or an attribute")
		}
	}
	ids, ok := s.publish(req.GetTopic(), req.Messages)
	if !ok {
		return nil, noTopic(req.GetTopic())
	}
	return &pubsubpb.PublishResponse{MessageIds: ids}, nil
}

// publish gives each message an ID and time of its own and hands it to the topic's queues.
func (s *Server) publish(topicName string, messages []*pubsubpb.PubsubMessage) (ids []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.topics[topicName]
	if t == nil {
		return nil, false
	}
	now := timestamppb.Now()
	for _, m := range messages {
		s.nextID++
		m.MessageId = strconv.FormatInt(s.nextID, 10)
		m.PublishTime = now
		ids = append(ids, m.MessageId)
		for _, q := range t.queues {
			q.put(m)
		}
	}
	return ids, true
}

func noTopic(name string) error {
	return status.Errorf(codes.NotFound, "topic %q does not exist", name)
}

// validName reports whether name is "projects/P/<kind>/N".
func validName(name, kind string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 4 && parts[0] == "projects" && parts[1] != "" && parts[2] == kind && len(parts[3]) >= 3
}

func sortedUnder[V any](m map[string]V, project string) []string {
	var names []string
	for name := range m {
		if project == "" || strings.HasPrefix(name, project+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func clone[M proto.Message](m M) M { return proto.Clone(m).(M) }
