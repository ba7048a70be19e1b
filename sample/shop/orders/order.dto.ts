import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, ArrayUnique, IsArray, IsInt, Max, Min, ValidateNested } from 'class-validator';
import { IsArticleName } from '../inventory/article-name.js';
import type { OrderLine, OrderRequest } from './order.js';

class OrderLineDto implements OrderLine {
  @IsArticleName()
  readonly sku: string = '';

  @IsInt()
  @Min(1)
  @Max(1000)
  readonly quantity: number = 0;
}

/** The body of `POST /orders`. */
export class OrderDto implements OrderRequest {
  @IsArticleName()
  readonly warehouse: string = '';

  /** One line per article: two lines for one article would both start from the same stock. */
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(20)
  @ArrayUnique((line: Partial<OrderLine> | null) => line?.sku, { message: 'lines must name each sku once' })
  @ValidateNested({ each: true })
  @Type(() => OrderLineDto)
  readonly lines: OrderLineDto[] = [];
}
