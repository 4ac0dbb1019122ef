import type { Comparable, ReplaySending } from '../../../src-preload/contract/replay.ts'
import { useData } from '../../app/bridge.ts'
import { navigate, routeHref } from '../../app/route.ts'
import { Button, Menu, menuItem } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatCount, formatSecond } from '../../ui/format.ts'
import { Fold, Row, Section, Stack, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { formatComparable, openCompare } from './comparable.ts'
import {
  type AttemptedDelivery,
  Attempts,
  deliveryTones,
  dropDelivery,
  forwardingHome,
  retryDelivery,
  ruleRoute,
  shortTarget,
} from './forward-deliveries.tsx'
import { openReplay, replayRoute } from './replays.tsx'
import { ResponseContent, ResponseLine, formatResponse } from './target-response.tsx'

/** A response that can be compared with another response. */
type Response = { readonly one: Comparable; readonly name: string }

/** Lists where a capture was forwarded and replayed to, with the responses. */
export function CaptureForwards({ id }: { id: number }) {
  const forwards = useData('forward.ofCapture', { id })
  const replays = useData('replay.ofCapture', { id })
  if (forwards.data?.length === 0 && replays.data?.length === 0) return <NoneYet id={id} />
  const responses = [
    ...(forwards.data ?? []).flatMap(responseOfForward),
    ...(replays.data ?? []).map(responseOfReplay),
  ]
  return (
    <>
      <Row pad="m" wrap line="below">
        <Button icon="play" onClick={() => openReplay({ kind: 'captures', ids: [id] })}>
          Replay…
        </Button>
        <Button
          kind="quiet"
          onClick={() => openReplay({ kind: 'captures', ids: [id] }, { edited: true })}
        >
          Edit and replay…
        </Button>
      </Row>
      <Loaded query={forwards} of="the forwards" rows={3}>
        {(deliveries) =>
          deliveries.length > 0 && (
            <Section title="Forwards">
              <Stack>
                {deliveries.map((delivery) => (
                  <Forwarded key={delivery.deliveryId} delivery={delivery} responses={responses} />
                ))}
              </Stack>
            </Section>
          )
        }
      </Loaded>
      <Loaded query={replays} of="the replays" rows={3}>
        {(sendings) =>
          sendings.length > 0 && (
            <Section title="Replays">
              <Stack>
                {sendings.map((sending) => (
                  <Replayed key={sending.replayId} sending={sending} responses={responses} />
                ))}
              </Stack>
            </Section>
          )
        }
      </Loaded>
    </>
  )
}

function NoneYet({ id }: { id: number }) {
  return (
    <EmptyState
      title="Not forwarded or replayed yet"
      detail="When this capture is forwarded or replayed, its attempts and responses appear here. Forwarding rules apply only to new deliveries, but you can replay this capture."
    >
      <Button kind="main" icon="play" onClick={() => openReplay({ kind: 'captures', ids: [id] })}>
        Replay…
      </Button>
      <Button onClick={() => navigate(forwardingHome)}>Forwarding rules</Button>
    </EmptyState>
  )
}

type Among = { responses: readonly Response[] }

function Forwarded({ delivery, responses }: Among & { delivery: AttemptedDelivery }) {
  const { rule, ruleName, target, mode, state, attempts } = delivery
  const [own] = responseOfForward(delivery)
  return (
    <Stack as="section" gap="s" line="box" pad="s" aria-label={`Forwarded to ${target}`}>
      <Row wrap>
        <Tag tone={deliveryTones[state]}>{state}</Tag>
        <Text mono strong over="break">
          {target}
        </Text>
        {mode === 'through' && <Tag>proxy</Tag>}
        {attempts > 0 && <Small>{formatCount(attempts, 'attempt')}</Small>}
        <Text as="a" size="s" href={routeHref(ruleRoute(rule))}>
          {ruleName === '' ? `rule ${rule}` : `rule “${ruleName}”`}
        </Text>
        <Row last gap="xs">
          {own !== undefined && <CompareMenu of={own} among={responses} />}
          <Button icon="refresh" onClick={() => void retryDelivery(delivery)}>
            {state === 'delivered' ? 'Send again…' : 'Retry'}
          </Button>
          {state === 'waiting' && (
            <Button kind="danger" onClick={() => void dropDelivery(delivery)}>
              Drop…
            </Button>
          )}
        </Row>
      </Row>
      <Attempts delivery={delivery} />
    </Stack>
  )
}

function Replayed({ sending, responses }: Among & { sending: ReplaySending }) {
  const { replayId, job, at, target, edited, again, capture, answer } = sending
  return (
    <Stack as="section" gap="s" line="box" pad="s" aria-label={`Replay ${replayId}`}>
      <Row wrap>
        <ResponseLine response={answer} />
        <Text mono strong over="break">
          {target}
        </Text>
        {edited && <Tag>edited</Tag>}
        {again && <SentTwice />}
        <Small>
          <Moment at={at} />
        </Small>
        <Text as="a" size="s" href={routeHref(replayRoute(job))}>
          replay {replayId}
        </Text>
        <Row last gap="xs">
          <CompareMenu of={responseOfReplay(sending)} among={responses} />
          <Button
            icon="play"
            onClick={() => openReplay({ kind: 'captures', ids: [capture] }, { target })}
          >
            Replay…
          </Button>
        </Row>
      </Row>
      <Fold boxed summary="Response">
        <ResponseContent response={answer} />
      </Fold>
    </Stack>
  )
}

/** Shown if Tondesk ended while the request was pending. */
export function SentTwice() {
  return (
    <Tag
      tone="warn"
      title="Tondesk closed during this request. After the restart, Tondesk sent the request again, with the same X-Tondesk-Replay header, so the target may have received it twice."
    >
      may have been sent twice
    </Tag>
  )
}

function CompareMenu({ of, among }: { of: Response; among: readonly Response[] }) {
  const own = formatComparable(of.one)
  const others = among.filter(({ one }) => formatComparable(one) !== own)
  if (others.length === 0) return null
  return (
    <Menu
      trigger={
        <Button kind="quiet">
          Compare with…<Text hidden> another response: {of.name}</Text>
        </Button>
      }
      items={others.map(({ one, name }) => menuItem(name, {}, () => openCompare(one, of.one)))}
    />
  )
}

/** Returns the response of the newest attempt; none if the target sent no response. */
function responseOfForward({ deliveryId, target, tries }: AttemptedDelivery): Response[] {
  const [last] = tries
  if (last === undefined || last.answer.status === null) return []
  const name = `Forward to ${shortTarget(target)}: ${formatResponse(last.answer)}`
  return [{ one: { kind: 'forward', deliveryId }, name }]
}

function responseOfReplay({ replayId, at, answer }: ReplaySending): Response {
  const name = `Replay ${replayId} at ${formatSecond(at)}: ${formatResponse(answer)}`
  return { one: { kind: 'replay', replayId }, name }
}
