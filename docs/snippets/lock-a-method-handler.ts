import { Body, Controller, Param, Post } from '@nestjs/common';
import { LockedHandler, lockName } from 'nest-redis-lock';

const cartOf = ({ params }: { readonly params: { readonly id: string } }): string => lockName`cart:${params.id}`;

@Controller('carts')
export class CartController {
  @Post(':id/items')
  @LockedHandler((context) => cartOf(context.switchToHttp().getRequest()), { wait: '3s' })
  add(@Param('id') id: string, @Body() item: object): object {
    return { id, item };
  }
}
