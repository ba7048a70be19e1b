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
import { Beside, NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room, SoldOut } from '../../room.js';

/** Answers in its own way for what a locked resolver throws. */
@Catch(SoldOut)
class SoldOutGraphqlFilter implements ExceptionFilter<SoldOut> {
  constructor(@Inject(Room) private readonly room: Room) {}

  catch(error: SoldOut): GraphQLError {
    this.room.note('filter');
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
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Query(() => String)
    @Beside(SoldOutGraphqlFilter)
    async queryAbove(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Query(() => String)
    @Beside(SoldOutGraphqlFilter)
    @Locked('order:<0>')
    async queryBelow(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Locked('order:<0>')
    @Mutation(() => String)
    @Beside(SoldOutGraphqlFilter)
    async mutationAbove(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Mutation(() => String)
    @Beside(SoldOutGraphqlFilter)
    @Locked('order:<0>')
    async mutationBelow(@Args('id', { type: () => String }, NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Query(() => Order)
    order(@Args('id', { type: () => String }) id: string): Order {
      return new Order(Number(id));
    }

    @Locked('order:<0.id>')
    @ResolveField(() => String)
    @Beside(SoldOutGraphqlFilter)
    async fieldAbove(@Parent() order: Order): Promise<string> {
      return this.room.visit(order.id);
    }

    @ResolveField(() => String)
    @Beside(SoldOutGraphqlFilter)
    @Locked('order:<0.id>')
    async fieldBelow(@Parent() order: Order): Promise<string> {
      return this.room.visit(order.id);
    }

    @Locked('order:<0>')
    @Subscription(() => String, whole)
    async *subscriptionAbove(@Args('id', { type: () => String }, NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.room.walk(id);
    }

    @Subscription(() => String, whole)
    @Locked('order:<0>')
    async *subscriptionBelow(@Args('id', { type: () => String }, NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.room.walk(id);
    }
  }
  return OrderResolver;
};
