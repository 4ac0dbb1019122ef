/** The tabs of a received request: its body, its headers, and everything else about the request. */
import type { ReactNode } from 'react'
import type { CaptureDetail } from '../../../src-preload/contract/capture.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { attempt, reload, useData } from '../../app/bridge.ts'
import { captureHref } from '../../app/route.ts'
import { BodyView } from '../../components/body/body-view.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { accountHref, transactionHref } from '../../components/chain/chain-links.ts'
import { LtText } from '../../components/chain/chain-text.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState, FailedState, Loaded } from '../../ui/loaded.tsx'
import { formatBytes, formatDuration, formatNumber, formatUtc } from '../../ui/format.ts'
import { Tag, Text, Row, Stack, Small } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Table } from '../../ui/table.tsx'
import { Moment } from '../../ui/time.tsx'
import { originLabels, statusTone, tokenMarks } from './capture-cells.tsx'
import {
  type OpenCapture,
  chooseForm,
  fetchBody,
  fetchWholeBody,
  loadMore,
  useOpen,
} from './capture-detail.ts'
import { revealSecrets } from './captures-state.ts'
import type { CaptureTimeline } from '../../../src-preload/contract/explanation.ts'
import { type TimelineStep, Timeline } from '../../components/charts/timeline.tsx'

export function BodyTab({ open: { id, capture, body } }: { open: OpenCapture }) {
  const isLoadingMore = useOpen((state) => state.isLoadingMore)
  if (body instanceof AppError) {
    return (
      <FailedState
        what="Could not load the body"
        why={body}
        onRetry={() => reload('capture.get', { id })}
      />
    )
  }
  if (body.totalBytes === 0 && body.decodeProblem === null) {
    return (
      <EmptyState
        title="The body is empty"
        detail={capture.incident ?? 'The request was sent without content.'}
      />
    )
  }
  return (
    <BodyView
      id={id}
      body={body}
      encoding={capture.encoding}
      contentType={capture.contentType}
      source={{
        isLoadingMore,
        onLoadMore: () => void attempt('Could not load more', () => loadMore()),
        onForm: chooseForm,
        fetchPart: async (form, offset, limit) => (await fetchBody(id, form, offset, limit)).bytes,
        fetchWhole: (form) => fetchWholeBody(id, form),
      }}
    />
  )
}

/** Shows the headers in the order and the case in which they arrived, with duplicates. */
export function HeadersTab({ open }: { open: OpenCapture }) {
  const { headers } = open.capture
  if (headers.length === 0) {
    return <EmptyState title="No headers" detail="The request has no headers." />
  }
  return (
    <>
      <Row pad="m" justify="between">
        <SecretsNote open={open} />
        <CopyButton
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          what="Headers"
          label="Copy all"
          kind="quiet"
        />
      </Row>
      <Table
        label="Headers"
        rows={headers.map(([name, value], index) => ({ name, value, index }))}
        keyOf={({ index }) => index}
        columns={[
          {
            name: 'Name',
            look: 'mono',
            wraps: true,
            width: 160,
            cell: ({ name }) => (
              <Text tone="dim" over="break">
                <UntrustedText text={name} />
              </Text>
            ),
          },
          {
            name: 'Value',
            look: 'mono',
            wraps: true,
            cell: ({ value }) => (
              <Text over="lines">
                <UntrustedText text={value} />
              </Text>
            ),
          },
        ]}
      />
    </>
  )
}

/** Says whether secrets are masked, and has the button that shows them. */
function SecretsNote({ open }: { open: OpenCapture }) {
  if (!open.revealed && !open.capture.masked) return <span />
  return (
    <Small tone="faint">
      {open.revealed ? (
        'Secrets are shown.'
      ) : (
        <>
          Secrets are masked.{' '}
          <Button kind="link" onClick={() => void revealSecrets()}>
            Show secrets
          </Button>
        </>
      )}
    </Small>
  )
}

const mono = (value: string) => (
  <Text mono>
    <UntrustedText text={value} />
  </Text>
)

/** A time as lists show it: exact under the pointer, and in UTC when it is copied. */
export function ExactTime({ at }: { at: number }) {
  return (
    <>
      <Moment at={at} absolute="second" />
      <CopyButton text={formatUtc(at)} what="UTC time" iconOnly kind="quiet" />
    </>
  )
}

/** Returns a link to the explorer, unless the capture's network is unknown or has no such transaction. */
function linked(
  { network, meaning }: CaptureDetail,
  text: string,
  hrefOf: (text: string, network: string) => string,
): ReactNode {
  if (network === null || meaning.state === 'unavailable') return mono(text)
  return <a href={hrefOf(text, network)}>{mono(text)}</a>
}

/** Shows everything stored about the request besides its headers and its body. */
export function DetailsTab({ open }: { open: OpenCapture }) {
  const { capture } = open
  const isReceived = capture.origin === 'received'
  return (
    <Stack pad="l" gap="l">
      <SecretsNote open={open} />
      <KeyValues
        pairs={[
          ['Capture', mono(String(capture.id))],
          [isReceived ? 'Received' : 'Created', <ExactTime at={capture.receivedAt} />],
          ['Origin', isReceived ? null : originLabels[capture.origin]],
          ['Response', isReceived || capture.status !== null ? describeResponse(capture) : null],
          ['Body complete', describeCompleteness(capture)],
          ['Token', isReceived ? describeToken(capture) : null],
          ['Event type', capture.kind ?? 'not classified yet'],
          ['Account', capture.account && linked(capture, capture.account, accountHref)],
          ['Logical time', capture.lt && <LtText lt={capture.lt} canCopy />],
          ['Transaction', capture.txHash && linked(capture, capture.txHash, transactionHref)],
          [
            'Duplicate of',
            capture.duplicateOf && (
              <a href={captureHref(capture.duplicateOf)}>capture {capture.duplicateOf}</a>
            ),
          ],
          ['Order', capture.outOfOrder ? 'out of order: a later event arrived first' : null],
          ['Method', mono(capture.method)],
          ['Target', mono(capture.target)],
          ['HTTP version', mono(capture.httpVersion)],
          ['Sender', capture.remoteAddress === '' ? null : mono(capture.remoteAddress)],
          ['Proxies', isReceived ? describeProxies(capture) : null],
          ['Content type', capture.contentType && mono(capture.contentType)],
          ['Encoding', capture.encoding && mono(capture.encoding)],
          ['Body size', describeSize(capture.bodyBytes)],
          [
            'Checksum',
            capture.unverifiedBefore && (
              <>
                unverified before <ExactTime at={capture.unverifiedBefore * 1000} />
              </>
            ),
          ],
        ]}
      />
      <Text as="p" size="s" tone="faint">
        The content of a delivery is unverified until the gateway confirms it.
      </Text>
    </Stack>
  )
}

const describeSize = (bytes: number): string =>
  bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatNumber(bytes)} bytes)`

function describeResponse({ status, durationUs, origin }: CaptureDetail): ReactNode {
  if (status === null) {
    return origin === 'imported'
      ? 'unknown: not in the imported file'
      : 'none: the sender disconnected'
  }
  return (
    <>
      <Tag tone={statusTone(status)}>{status}</Tag>{' '}
      {durationUs === null ? 'after an unknown time' : `after ${formatDuration(durationUs)}`}
    </>
  )
}

function describeCompleteness({ completeness, incident }: CaptureDetail): ReactNode {
  if (completeness === 'complete') return incident ?? 'yes'
  return (
    <>
      <Tag tone="bad">{completeness}</Tag> {incident}
    </>
  )
}

function describeToken({ token }: CaptureDetail): ReactNode {
  if (token === 'right') return <Tag tone="ok">valid</Tag>
  if (token === 'unchecked') {
    return 'not checked: you have added no webhook token, or this event type has no token'
  }
  const { tone, word, why } = tokenMarks[token]
  return (
    <>
      <Tag tone={tone}>{word}</Tag> {why}
    </>
  )
}

function describeProxies({ via }: CaptureDetail): ReactNode {
  if (via.length === 0) return 'none, sent directly'
  return (
    <ol>
      {via.map(({ source, value }, index) => (
        <li key={index}>
          {mono(value)} <Text tone="faint">by {source}</Text>
        </li>
      ))}
    </ol>
  )
}

type Step = CaptureTimeline[number]

/** Shows the steps of a delivery from the block to every target that it was forwarded to. */
export function TimelineTab({ id }: { id: number }) {
  const query = useData('explanation.timeline', { id })
  return (
    <Loaded query={query} of="the timeline" rows={5}>
      {(moments) =>
        moments.length === 0 ? (
          <EmptyState title="No timeline" detail="The time of arrival is unknown." />
        ) : (
          <Timeline steps={stepsOf(moments)} />
        )
      }
    </Loaded>
  )
}

function stepsOf(moments: readonly Step[]): TimelineStep[] {
  const arrivedAt = (moments.find(({ what }) => what === 'arrived') ?? moments[0])?.at ?? 0
  return moments.map(({ at, what, text, ok }) => ({
    at,
    name: stepNames[what],
    isBad: !ok,
    since: sinceArrival(at - arrivedAt, what),
    detail: (
      <>
        {!ok && <Tag tone="bad">failed</Tag>} <UntrustedText text={text} />
      </>
    ),
  }))
}

const stepNames: Readonly<Record<Step['what'], string>> = {
  block: 'In a block',
  arrived: 'Arrived',
  stored: 'Stored',
  answered: 'Response sent',
  understood: 'Decoded',
  'forward-queued': 'Forward queued',
  'forward-attempt': 'Forward attempt',
  replayed: 'Replayed',
}

/** The time of a block has whole seconds and comes from another clock. */
function sinceArrival(us: number, what: Step['what']): string {
  if (what === 'arrived') return ''
  const sign = us < 0 ? '−' : '+'
  return `${what === 'block' ? '≈ ' : ''}${sign}${formatDuration(Math.abs(us))}`
}
