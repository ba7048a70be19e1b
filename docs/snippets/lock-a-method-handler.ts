import { Body, Controller, Param, Post } from '@nestjs/common';
import { LockedHandler } from 'nest-redis-lock';

@Controller('carts')
export class CartController {
  @Post(':id/items')
  @LockedHandler('cart:<params.id>', { wait: '3s' })
  add(@Param('id') id: string, @Body() item: object): object {
    return { id, item };
  }
}
