import { IsIn, IsInt, Max, Min } from 'class-validator';
import { IsArticleName } from '../inventory/article-name.js';

/** How long the shelf is locked. */
export const LOCKED_UNTIL = ['never', 'written', 'committed'] as const;
export type LockedUntil = (typeof LOCKED_UNTIL)[number];

/** The path of an article. */
export class SkuDto {
  @IsArticleName()
  readonly sku: string = '';
}

/** The body of `POST /invoices`. */
export class InvoiceDto extends SkuDto {
  @IsIn(LOCKED_UNTIL)
  readonly lockedUntil: LockedUntil = 'committed';
}

/** The body of `PUT /invoices/shelf`. */
export class ShelfDto extends SkuDto {
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  readonly stock: number = -1;
}
