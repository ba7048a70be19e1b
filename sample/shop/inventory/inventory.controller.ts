import { Controller, Get } from '@nestjs/common';
import type { InventoryReport } from './inventory-report.js';
import { Ledger } from './ledger.js';

@Controller('inventory')
export class InventoryController {
  constructor(private readonly ledger: Ledger) {}

  @Get()
  async report(): Promise<InventoryReport> {
    return this.ledger.report();
  }
}
