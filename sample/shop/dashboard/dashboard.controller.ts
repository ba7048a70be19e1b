import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, type MessageEvent, Sse, StreamableFile } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { LiveService } from './live.service.js';
import type { Snapshot } from './snapshot.js';
import { SnapshotService } from './snapshot.service.js';

/** The page at `/` and its data. */
@Controller()
export class DashboardController {
  constructor(
    private readonly snapshots: SnapshotService,
    private readonly live: LiveService,
  ) {}

  @Get()
  @Header('content-security-policy', "default-src 'self'; img-src data:")
  page(): Promise<StreamableFile> {
    return file('index.html', 'text/html');
  }

  @Get('dashboard.css')
  style(): Promise<StreamableFile> {
    return file('dashboard.css', 'text/css');
  }

  @Get('dashboard.js')
  script(): Promise<StreamableFile> {
    return file('dashboard.js', 'text/javascript');
  }

  @Get('status')
  status(): Promise<Snapshot> {
    return this.snapshots.take();
  }

  @Sse('live')
  events(): Observable<MessageEvent> {
    return this.live.events;
  }
}

async function file(name: string, type: string): Promise<StreamableFile> {
  const content = await readFile(new URL(`public/${name}`, import.meta.url));
  return new StreamableFile(content, { type: `${type}; charset=utf-8` });
}
