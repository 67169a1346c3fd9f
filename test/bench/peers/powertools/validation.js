// What payload validation comes to on the cache layer: whether a repeat of a
// completed call is answered, and whether the same key with another payload is
// refused.
import { newEvent } from './load.js';

export async function validation(guard) {
  const call = guard({ eventKeyJmesPath: 'id', payloadValidationJmesPath: 'order' });
  const outcome = async (event) => {
    try {
      return (await call(event)).run === 1 ? 'answered' : 'ran again';
    } catch (error) {
      return error.name;
    }
  };
  const event = newEvent(`validation-${process.pid}`);
  return {
    first: await outcome(event),
    repeat: await outcome(event),
    mutated: await outcome({ ...event, order: { total: 1 } }),
  };
}
