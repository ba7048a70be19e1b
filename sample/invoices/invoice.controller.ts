import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { InvoiceDto, type LockedUntil, ShelfDto, SkuDto } from './invoice.dto.js';
import { InvoiceService } from './invoice.service.js';
import { InvoiceTables } from './invoice-tables.js';
import { HastyStockKeeper, PatientStockKeeper, StockKeeper } from './stock-keeper.js';

/** What the books say of an article. */
export interface Books {
  readonly stock: number;
  readonly invoices: number;
}

@Controller('invoices')
export class InvoiceController {
  private readonly keepers: Readonly<Record<LockedUntil, StockKeeper>>;

  constructor(
    private readonly service: InvoiceService,
    private readonly tables: InvoiceTables,
    never: StockKeeper,
    written: HastyStockKeeper,
    committed: PatientStockKeeper,
  ) {
    this.keepers = { never, written, committed };
  }

  @Put('shelf')
  @HttpCode(204)
  async open(@Body() { sku, stock }: ShelfDto): Promise<void> {
    await this.tables.open(sku, stock);
  }

  @Post()
  @HttpCode(204)
  async sell(@Body() { sku, lockedUntil }: InvoiceDto): Promise<void> {
    await this.service.sellOne(sku, this.keepers[lockedUntil]);
  }

  @Get(':sku')
  async books(@Param() { sku }: SkuDto): Promise<Books> {
    return { stock: await this.tables.stockOf(sku), invoices: await this.tables.invoices(sku) };
  }
}
