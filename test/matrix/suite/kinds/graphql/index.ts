import assert from 'node:assert/strict';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';
import { ExpressAdapter } from '@nestjs/platform-express';
import { journalOfFailure, journalOfSuccess } from '../../enhancers.js';
import { type Cells, inBothPositions, noTransient, type POSITIONS } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { ENDLESS, FAILING } from '../../concurrency-probe.js';
import { type HttpApplication, withHttpApplication } from '../../http-application.js';
import { until } from '../../until.js';
import { post, subscribe, subscribeOnce } from './client.js';
import { resolverOf } from './resolver.js';

type PositionName = (typeof POSITIONS)[number];
type Use = (application: HttpApplication) => Promise<void>;

const SCOPES = ['singleton', 'request'] as const;

const schemaModule = () =>
  GraphQLModule.forRoot<ApolloDriverConfig>({
    driver: ApolloDriver,
    autoSchemaFile: true,
    playground: false,
    // By default guards, interceptors and filters apply only to queries, mutations and subscriptions.
    fieldResolverEnhancers: ['guards', 'interceptors', 'filters'],
    subscriptions: { 'graphql-ws': true },
  });

const withResolver = (scope: (typeof SCOPES)[number], use: Use): Promise<void> =>
  withHttpApplication(new ExpressAdapter(), { imports: [schemaModule()], providers: [resolverOf(scope)] }, use);

const suffix = (position: PositionName): string => (position === 'above' ? 'Above' : 'Below');

/** One kind of field, requested by a document of its own. */
interface FieldKind {
  readonly kind: string;
  readonly document: (id: number, position: PositionName) => string;
  /** A document that requests the field twice. */
  readonly twice?: (id: number, position: PositionName) => string;
  /** Whether the field has an argument of its own, which goes through a pipe. */
  readonly hasPipe: boolean;
}

const fieldKinds: readonly FieldKind[] = [
  {
    kind: 'GraphQL @Query',
    document: (id, position) => `{ answer: query${suffix(position)}(id: "${rawId(id)}") }`,
    twice: (id, position) =>
      `{ one: query${suffix(position)}(id: "${rawId(id)}") two: query${suffix(position)}(id: "${rawId(id)}") }`,
    hasPipe: true,
  },
  {
    kind: 'GraphQL @Mutation',
    document: (id, position) => `mutation { answer: mutation${suffix(position)}(id: "${rawId(id)}") }`,
    hasPipe: true,
  },
  {
    kind: 'GraphQL @ResolveField',
    document: (id, position) => `{ order(id: "${rawId(id)}") { answer: field${suffix(position)} } }`,
    twice: (id, position) =>
      `{ order(id: "${rawId(id)}") { one: field${suffix(position)} two: field${suffix(position)} } }`,
    hasPipe: false,
  },
];

const fieldCells = ({ kind, document, twice, hasPipe }: FieldKind): Cells => [
  ...SCOPES.flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withResolver(scope, async ({ probe, locks, url }) => {
        const ask = async (id: number): Promise<string> => {
          const { text } = await post(url, document(id, position));
          return text;
        };
        const seen = (entries: readonly string[]): string[] => entries.filter((entry) => hasPipe || entry !== 'pipe');
        await checkExclusion({ probe, locks }, { call: ask, scope });

        probe.clear();
        assert.match(await ask(5), /"answer":"order:5"/);
        assert.deepEqual(probe.journal, seen(journalOfSuccess(5)));

        probe.clear();
        assert.match(await ask(FAILING), /refused: SoldOut/);
        assert.deepEqual(probe.journal, seen(journalOfFailure(FAILING)));
        await checkFree(locks, FAILING);

        if (!twice) return;
        probe.clear();
        const { text } = await post(url, twice(6, position));
        assert.match(text, /"one":"order:6","two":"order:6"/);
        assert.equal(probe.peak, 1, 'two aliases of one field take turns');
      }),
    ),
  ),
  noTransient(kind),
];

const SUBSCRIPTION = 'GraphQL @Subscription, async generator';

const subscriptionCells: Cells = [
  ...SCOPES.flatMap((scope) =>
    inBothPositions(SUBSCRIPTION, scope, (position) =>
      withResolver(scope, async ({ probe, locks, url }) => {
        const document = (id: number): string =>
          `subscription { answer: subscription${suffix(position)}(id: "${rawId(id)}") }`;
        await checkExclusion({ probe, locks }, { call: (id) => subscribe(url, document(id)), scope });
        assert.deepEqual(await subscribe(url, document(5)), ['order:5', 'order:5']);

        // Ends the subscription early.
        assert.equal(await subscribeOnce(url, document(ENDLESS)), `order:${ENDLESS}`);
        await until('the generator has ended', () => probe.isIdle);
        await checkFree(locks, ENDLESS);
      }),
    ),
  ),
  noTransient(SUBSCRIPTION),
];

export const cells: Cells = [...fieldKinds.flatMap(fieldCells), ...subscriptionCells];
