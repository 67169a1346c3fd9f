// Runs events once through Powertools for AWS Lambda's idempotency on Redis, by
// the orders of the bench "peers". Set up as its documentation shows: a connected
// @redis/client, CachePersistenceLayer, and a Lambda context, without which it
// could not tell how long another call may still run.
//
// The whole event is hashed into the key, which is its default and hashes the
// payload of every call. Its payloadValidationJmesPath is left off: this version's
// cache layer drops the validation hash when a call completes, so every repeat
// would be refused; `node main.js URL validation` shows that.
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache';
import { createClient } from '@redis/client';
import { run, serve } from './load.js';
import { validation } from './validation.js';

const [url, mode] = process.argv.slice(2);
process.env.AWS_LAMBDA_FUNCTION_NAME ??= `bench-${process.pid}`; // begins every key
const context = {
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  getRemainingTimeInMillis: () => 240_000,
};

const client = await createClient({ url }).connect();
const guard = (options) => {
  const config = new IdempotencyConfig({ expiresAfterSeconds: 3600, ...options });
  config.registerLambdaContext(context);
  const call = makeIdempotent(run, { persistenceStore: new CachePersistenceLayer({ client }), config });
  return async (event) => {
    try {
      return await call(event, context);
    } catch (error) {
      if (error.name === 'IdempotencyAlreadyInProgressError') error.name = 'InFlight';
      throw error;
    }
  };
};

if (mode === 'validation') {
  process.stdout.write(`${JSON.stringify(await validation(guard))}\n`);
} else {
  // Its own cache holds 256 results unless told otherwise; ours holds 10,000 keys.
  await serve(guard(mode === 'cached' ? { useLocalCache: true, maxLocalCacheSize: 10_000 } : {}));
}
await client.close();
