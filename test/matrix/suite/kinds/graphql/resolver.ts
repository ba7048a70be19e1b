import { Catch, type ExceptionFilter, Inject, Injectable, Scope, type Type } from '@nestjs/common';
import {
  Args,
  Field,
  Int,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { GraphQLError } from 'graphql';
import { Locked } from 'nest-redis-lock';
import { WithEnhancers, NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe, SoldOut } from '../../concurrency-probe.js';

/** Answers the error of a locked resolver in a form of its own. */
@Catch(SoldOut)
class SoldOutGraphqlFilter implements ExceptionFilter<SoldOut> {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

  catch(error: SoldOut): GraphQLError {
    this.probe.record('filter');
    return new GraphQLError(`refused: ${error.name}`);
  }
}

@ObjectType()
export class Order {
  @Field(() => Int)
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

const whole = { resolve: (value: unknown) => value };

/** Queries, mutations, fields and subscriptions, with `@Locked` above and below. */
export const resolverOf = (scope: ScopeName): Type => {
  @Injectable({ scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  @Resolver(() => Order)
  class OrderResolver {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Query(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    async queryAbove(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Query(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    @Locked('order:<0>')
    async queryBelow(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Locked('order:<0>')
    @Mutation(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    async mutationAbove(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Mutation(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    @Locked('order:<0>')
    async mutationBelow(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Query(() => Order)
    order(@Args('id', { type: () => String }) id: string): Order {
      return new Order(Number(id));
    }

    @Locked('order:<0.id>')
    @ResolveField(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    async fieldAbove(@Parent() order: Order): Promise<string> {
      return this.probe.work(order.id);
    }

    @ResolveField(() => String)
    @WithEnhancers(SoldOutGraphqlFilter)
    @Locked('order:<0.id>')
    async fieldBelow(@Parent() order: Order): Promise<string> {
      return this.probe.work(order.id);
    }

    @Locked('order:<0>')
    @Subscription(() => String, whole)
    async *subscriptionAbove(@Args('id', { type: () => String }, NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.probe.iterate(id);
    }

    @Subscription(() => String, whole)
    @Locked('order:<0>')
    async *subscriptionBelow(@Args('id', { type: () => String }, NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.probe.iterate(id);
    }
  }
  return OrderResolver;
};
