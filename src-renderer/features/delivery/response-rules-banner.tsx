import { Banner } from '../../app/frame/banner.tsx'
import { useData } from '../../app/bridge.ts'
import { printRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { formatRule, isActive, responsesHome, turnAllOff } from './response-rules.ts'

/** On every page while a rule is on, since the gateway retries because of it. */
export function ResponseRulesBanner() {
  const active = (useData('answerRule.list').data ?? []).filter(isActive)
  const [first] = active
  if (first === undefined) return null
  const more = active.length === 1 ? '' : `, and ${formatCount(active.length - 1, 'more rule')}`
  return (
    <Banner
      level="warning"
      title="Response rules are on"
      detail={`${formatRule(first)}${more}. They stay on, also after a restart, until they are used up or turned off.`}
      isShort
      end={
        <>
          <a href={printRoute(responsesHome)}>Rules</a>
          <Button onClick={() => void turnAllOff()}>Turn all off</Button>
        </>
      }
    />
  )
}
