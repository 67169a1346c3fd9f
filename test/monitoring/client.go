package monitoring

import (
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Options point the real client library at a stand-in:
// monitoring.NewMetricClient(ctx, Options(address)...).
func Options(address string) []option.ClientOption {
	return []option.ClientOption{
		option.WithEndpoint(address),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}
}
