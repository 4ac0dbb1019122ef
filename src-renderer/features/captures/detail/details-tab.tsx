import type { ReactNode } from 'react'
import type { CaptureDetail } from '../../../../src-preload/contract/capture.ts'
import {
  formatBytes,
  formatDuration,
  formatExact,
  formatNumber,
  formatUtc,
} from '../../../ui/format.ts'
import { captureHref } from '../../../app/route.ts'
import { KeyValues } from '../../../ui/kv.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import type { OpenCapture } from '../inspector-state.ts'
import { originWords, statusTone } from '../list/row-words.ts'
import { MaskNote } from './mask-note.tsx'
import styles from './detail.module.css'

const mono = (value: string) => (
  <span className={text['mono']}>
    <UntrustedText text={value} />
  </span>
)

/** All that is known of a capture beside its headers and body. */
export function DetailsTab({ open }: { open: OpenCapture }) {
  const { capture } = open
  const isReceived = capture.origin === 'received'
  const [local = ''] = formatExact(capture.receivedAt).split('\n')
  return (
    <div>
      <div className={styles['tools']}>
        <MaskNote open={open} />
      </div>
      <KeyValues
        className={styles['facts']}
        pairs={[
          ['Capture', mono(String(capture.id))],
          [isReceived ? 'Received' : 'Made', local],
          ['Origin', isReceived ? null : originWords[capture.origin]],
          ['In UTC', mono(formatUtc(capture.receivedAt))],
          ['Answered', isReceived || capture.status !== null ? answered(capture) : null],
          ['Complete', complete(capture)],
          ['Token', isReceived ? verdict(capture) : null],
          ['Says it is', capture.kind ?? 'not classified yet'],
          ['Account', capture.account === null ? null : mono(capture.account)],
          ['Logical time', capture.lt === null ? null : mono(capture.lt)],
          ['Transaction', capture.txHash === null ? null : mono(capture.txHash)],
          ['Duplicate of', duplicate(capture)],
          ['Order', capture.outOfOrder ? 'out of order: a later one had arrived before' : null],
          ['Method', mono(capture.method)],
          ['Target', mono(capture.target)],
          ['HTTP', mono(capture.httpVersion)],
          ['From', capture.remoteAddress === '' ? null : mono(capture.remoteAddress)],
          ['Via', isReceived ? via(capture) : null],
          ['Content type', capture.contentType === null ? null : mono(capture.contentType)],
          ['Encoding', capture.encoding === null ? null : mono(capture.encoding)],
          ['Body', size(capture.bodyBytes)],
        ]}
      />
      <p className={styles['claim']}>
        What a delivery says of itself is a claim until it is confirmed with the gateway.
      </p>
    </div>
  )
}

function size(bytes: number): string {
  return bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatNumber(bytes)} bytes)`
}

function answered({ status, durationUs }: CaptureDetail): ReactNode {
  if (status === null) return 'not answered: the other side was gone'
  return (
    <>
      <Tag tone={statusTone(status)}>{status}</Tag> after {formatDuration(durationUs)}
    </>
  )
}

function complete({ completeness, incident }: CaptureDetail): ReactNode {
  if (completeness === 'complete') return incident ?? 'yes'
  return (
    <>
      <Tag tone="bad">{completeness}</Tag> {incident}
    </>
  )
}

function verdict({ token }: CaptureDetail): ReactNode {
  switch (token) {
    case 'right':
      return <Tag tone="ok">right</Tag>
    case 'wrong':
      return (
        <>
          <Tag tone="warn">wrong</Tag> none of the webhook tokens known here
        </>
      )
    case 'missing':
      return (
        <>
          <Tag tone="warn">missing</Tag> webhook events carry a bearer token
        </>
      )
    case 'unchecked':
      return 'unchecked: no token is known, or the kind carries none'
  }
}

function duplicate({ duplicateOf }: CaptureDetail): ReactNode {
  return duplicateOf === null ? null : <a href={captureHref(duplicateOf)}>capture {duplicateOf}</a>
}

function via({ via: proxies }: CaptureDetail): ReactNode {
  if (proxies.length === 0) return 'directly'
  return (
    <ol>
      {proxies.map((proxy, index) => (
        <li key={index}>
          {mono(proxy.value)} <span className={text['faint']}>by {proxy.source}</span>
        </li>
      ))}
    </ol>
  )
}
