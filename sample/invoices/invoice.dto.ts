import { IsIn, IsInt, Max, Min } from 'class-validator';
import { IsArticleName } from '../inventory/article-name.js';

/** How long a shelf is locked. */
export const LOCKED_UNTIL = ['never', 'written', 'committed'] as const;
export type LockedUntil = (typeof LOCKED_UNTIL)[number];

/** The body of `POST /invoices`. */
export class InvoiceDto {
  @IsArticleName()
  readonly sku: string = '';

  @IsIn(LOCKED_UNTIL)
  readonly lockedUntil: LockedUntil = 'committed';
}

/** The body of `PUT /invoices/shelf`. */
export class ShelfDto {
  @IsArticleName()
  readonly sku: string = '';

  @IsInt()
  @Min(0)
  @Max(1_000_000)
  readonly stock: number = -1;
}

/** The path of an article. */
export class SkuDto {
  @IsArticleName()
  readonly sku: string = '';
}
