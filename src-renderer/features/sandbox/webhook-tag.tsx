import type { SandboxWebhook } from '../../../src-preload/contract/sandbox.ts'
import { formatCount } from '../../ui/format.ts'
import { Tag } from '../../ui/tag.tsx'

/** How a webhook fares, in a word or two. */
export function WebhookTag({ webhook: { status, failedAttempts } }: { webhook: SandboxWebhook }) {
  if (status !== 'online') return <Tag tone="bad">{status}</Tag>
  if (failedAttempts > 0) {
    return <Tag tone="warn">{formatCount(failedAttempts, 'failure')}</Tag>
  }
  return <Tag tone="ok">online</Tag>
}
