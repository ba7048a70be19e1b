import { type DynamicModule, Module } from '@nestjs/common';
import { PackingService } from './packing.service.js';
import { ParcelController } from './parcel.controller.js';
import { PickerService } from './picker.service.js';
import { Picks } from './picks.js';

@Module({})
export class WarehouseModule {
  static with(imports: DynamicModule[]): DynamicModule {
    return {
      module: WarehouseModule,
      imports,
      controllers: [ParcelController],
      providers: [Picks, PackingService, PickerService],
    };
  }
}
