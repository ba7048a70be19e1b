import { IsInt, Max, Min } from 'class-validator';

/** The body of `POST /sales`. */
export class SaleDto {
  @IsInt()
  @Min(1)
  @Max(2000)
  readonly buyers: number = 320;

  /** During which they come. */
  @IsInt()
  @Min(1)
  @Max(60)
  readonly seconds: number = 8;

  /** What the shelves are filled with. */
  @IsInt()
  @Min(50)
  @Max(1000)
  readonly items: number = 200;
}
