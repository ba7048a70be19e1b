import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsInt, Max, Min, ValidateNested } from 'class-validator';
import { IsArticleName } from './article-name.js';
import type { StockLevel } from './article.js';

class StockLevelDto implements StockLevel {
  @IsArticleName()
  readonly warehouse: string = '';

  @IsArticleName()
  readonly sku: string = '';

  @IsInt()
  @Min(0)
  @Max(1_000_000)
  readonly stock: number = -1;
}

/** The body of `PUT /inventory`. */
export class InventoryDto {
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(1000)
  @ValidateNested({ each: true })
  @Type(() => StockLevelDto)
  readonly levels: StockLevelDto[] = [];
}
