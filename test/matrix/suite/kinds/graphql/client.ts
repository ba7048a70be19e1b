import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** Sends one document. */
export const post = async (url: string, query: string): Promise<{ readonly text: string }> => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return { text: await response.text() };
};

async function* answersTo(url: string, query: string): AsyncGenerator {
  const client = createClient({ url: `${url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
  try {
    for await (const { data, errors } of client.iterate<{ answer: unknown }>({ query })) {
      yield errors ? errors.map(({ message }) => message) : data?.answer;
    }
  } finally {
    await client.dispose();
  }
}

/** Follows a subscription to its end. */
export const subscribe = async (url: string, query: string): Promise<unknown[]> => {
  const all: unknown[] = [];
  for await (const answer of answersTo(url, query)) all.push(answer);
  return all;
};

/** Ends a subscription after the first answer. */
export const subscribeOnce = async (url: string, query: string): Promise<unknown> => {
  for await (const answer of answersTo(url, query)) return answer;
  return undefined;
};
