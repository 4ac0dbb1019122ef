import type { CaptureTimeline } from '../../../../src-preload/contract/meaning.ts'

export const stepWords: Readonly<Record<CaptureTimeline[number]['what'], string>> = {
  block: 'In a block',
  arrived: 'Arrived',
  stored: 'Stored',
  answered: 'Answered',
  understood: 'Understood',
  'forward-queued': 'Forward queued',
  'forward-attempt': 'Forward tried',
  replayed: 'Replayed',
}
