import type { Webhook } from '../../../../src-preload/contract/index.ts'

export function AccountsTab({ webhook }: { webhook: Webhook; item: string }) {
  return <p>{webhook.endpoint}</p>
}
