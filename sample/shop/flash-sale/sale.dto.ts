import { IsInt, Max, Min } from 'class-validator';

/** The body of `POST /sales`. */
export class SaleDto {
  @IsInt()
  @Min(1)
  @Max(2000)
  readonly buyers: number = 320;

  /** Over how many seconds the buyers arrive. */
  @IsInt()
  @Min(1)
  @Max(60)
  readonly seconds: number = 8;

  /** How many items are offered. */
  @IsInt()
  @Min(50)
  @Max(1000)
  readonly items: number = 200;
}
