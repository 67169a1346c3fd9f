package table

import (
	"context"

	"onceway.internal/functions/campaigns"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

// publishing is how many messages of one campaign are on their way at once.
const publishing = 64

func checkCampaigns(c setting.Config, f *setting.Faults) {
	checkEvents(c, f)
	checkRouting(c, f)
	f.Add(c.Routing.MaxMessages < 1, "ONCEWAY_MAX_CAMPAIGN_MESSAGES", "%d is below 1", c.Routing.MaxMessages)
}

func makeCampaigns(ctx context.Context, a *App) (once.Handler, error) {
	r, err := a.Router(ctx)
	if err != nil {
		return nil, err
	}
	counted, err := a.countedPublisher(r.Groups(), latePublisher{a})
	if err != nil {
		return nil, err
	}
	return campaigns.New(campaigns.Config{MaxMessages: a.Config.Routing.MaxMessages, InFlight: publishing}, r, counted)
}

func newCampaigns(ctx context.Context, a *App) (once.Receiver, error) {
	return a.bind(ctx, makeCampaigns)
}
