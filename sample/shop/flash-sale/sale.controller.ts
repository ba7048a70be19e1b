import { Body, Controller, Post } from '@nestjs/common';
import type { Figures } from './figures.js';
import { SaleDto } from './sale.dto.js';
import { SaleService } from './sale.service.js';

@Controller('sales')
export class SaleController {
  constructor(private readonly sales: SaleService) {}

  /** 201 with the figures after the sale, 409 during another sale. */
  @Post()
  async hold(@Body() sale: SaleDto): Promise<Figures> {
    return this.sales.hold(sale);
  }
}
