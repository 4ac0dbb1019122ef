/** Shows a target's response to a forwarded or replayed request. */
import { useMemo } from 'react'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'
import { type Tone, Hint, Tag, Row, Stack, Small } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { formatBytes, formatDuration } from '../../ui/format.ts'
import { bytesFromBase64, decodeUtf8 } from '../body/bytes.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'

function responseTone({ isDelivered, status, problem }: ShownResponse): Tone {
  if (isDelivered) return problem === null ? 'ok' : 'warn'
  return status === null || status >= 500 ? 'bad' : 'warn'
}

/** Formats `200 in 18 ms` or `no response after 15 s`. */
export function formatResponse(response: ShownResponse): string {
  const { isDelivered, status, durationUs } = response
  const isSilent = status === null && !isDelivered
  return `${nameResponse(response)} ${isSilent ? 'after' : 'in'} ${formatDuration(durationUs)}`
}

/** A kind of target without statuses only accepts or refuses. */
function nameResponse({ isDelivered, status }: ShownResponse): string {
  return status === null ? (isDelivered ? 'delivered' : 'no response') : String(status)
}

/** Shows the status, the duration and the error. */
export function ResponseLine({ response }: { response: ShownResponse }) {
  const { durationUs, problem } = response
  return (
    <Row as="span" wrap>
      <Tag tone={responseTone(response)}>{nameResponse(response)}</Tag>
      <Small>{formatDuration(durationUs)}</Small>
      {problem !== null && (
        <Small tone="bad" over="break">
          {problem}
        </Small>
      )}
    </Row>
  )
}

/** Shows headers and body as text only, because a stranger wrote them. */
export function ResponseContent({ response }: { response: ShownResponse }) {
  const { isDelivered, status, headers, body, bodyBytes, isCut } = response
  const { text, invalidAt } = useMemo(() => decodeUtf8(bytesFromBase64(body), isCut), [body, isCut])
  if (status === null) {
    return (
      <Hint>
        {isDelivered ? 'The target accepted the delivery.' : 'The target sent no response.'}
      </Hint>
    )
  }
  const size = isCut ? `First part of ${formatBytes(bodyBytes)}` : `Body, ${formatBytes(bodyBytes)}`
  return (
    <Stack>
      <KeyValues
        label="Response headers"
        mono
        pairs={headers.map(([name, value]) => [
          <UntrustedText key="name" text={name} />,
          <UntrustedText key="value" text={value} />,
        ])}
      />
      <Row justify="between">
        <Small>
          {bodyBytes === 0 ? 'Empty body' : size}
          {invalidAt !== null && ', not valid UTF-8'}
        </Small>
        {text !== '' && <CopyButton text={text} what="Response body" kind="quiet" iconOnly />}
      </Row>
      {text !== '' && (
        <CodeBlock label="Response body" wrap>
          <UntrustedText text={text} />
        </CodeBlock>
      )}
    </Stack>
  )
}
