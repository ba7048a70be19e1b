import { IsArticleName } from '../inventory/article-name.js';

/** The path of `GET /inventory/:warehouse/closed`. */
export class WarehouseDto {
  @IsArticleName()
  readonly warehouse: string = '';
}
