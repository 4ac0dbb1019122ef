import type { BaseRoom } from './base-room.ts'
import type { WebhookBook } from './book.ts'
import type { Mirror } from './sync/mirror.ts'

export type WebhookRoom = BaseRoom & { readonly book: WebhookBook; readonly mirror: Mirror }
export type Room<Needed extends keyof WebhookRoom> = Pick<WebhookRoom, Needed>
