import { Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { InvoiceDto, type LockedUntil, ShelfDto, SkuDto } from './invoice.dto.js';
import { InvoiceService } from './invoice.service.js';
import { InvoiceTables } from './invoice-tables.js';
import { ShelfService } from './shelf.service.js';
import { EarlyReleaseShelfService } from '../variants/early-release-shelf.service.js';
import { UnlockedShelfService } from '../variants/unlocked-shelf.service.js';

/** The stock and the invoices of an article. */
export interface Books {
  readonly stock: number;
  readonly invoices: number;
}

@Controller('invoices')
export class InvoiceController {
  private readonly shelves: Readonly<Record<LockedUntil, ShelfService>>;

  constructor(
    private readonly service: InvoiceService,
    private readonly tables: InvoiceTables,
    never: UnlockedShelfService,
    written: EarlyReleaseShelfService,
    committed: ShelfService,
  ) {
    this.shelves = { never, written, committed };
  }

  @Put('shelf')
  @HttpCode(204)
  async open(@Body() { sku, stock }: ShelfDto): Promise<void> {
    await this.tables.open(sku, stock);
  }

  @Post()
  @HttpCode(204)
  async sell(@Body() { sku, lockedUntil }: InvoiceDto): Promise<void> {
    await this.service.sellOne(sku, this.shelves[lockedUntil]);
  }

  @Get(':sku')
  async books(@Param() { sku }: SkuDto): Promise<Books> {
    return { stock: await this.tables.stockOf(sku), invoices: await this.tables.invoices(sku) };
  }
}
