import type { Webhook } from '../../../../src-preload/contract/index.ts'

export function MissedTab({ webhook }: { webhook: Webhook; item: string }) {
  return <p>{webhook.endpoint}</p>
}
