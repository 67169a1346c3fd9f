package webhook

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"onceway.internal/shared/once"
)

// verify asks the tool whether it acted: 200 is done, 404 is not done, all else is
// unknown. Whoever declares the URL vouches that nothing in front of the tool
// answers 404 for it.
func (c *caller) verify(ctx context.Context, _, operationID string) (once.Answer, error) {
	token, err := c.token(ctx)
	if err != nil {
		return once.Unknown, fmt.Errorf("verify tool %s: %w", c.tool.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.tool.Timeout)
	defer cancel()
	address := strings.ReplaceAll(c.tool.Verify, "{operation}", url.QueryEscape(operationID))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return once.Unknown, fmt.Errorf("verify tool %s: %w", c.tool.Name, err)
	}
	authorize(req, token)
	resp, err := c.http.Do(req)
	if err != nil {
		return once.Unknown, fmt.Errorf("verify tool %s: %w", c.tool.Name, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return once.EffectDone, nil
	case http.StatusNotFound:
		return once.EffectNotDone, nil
	}
	return once.Unknown, nil
}
