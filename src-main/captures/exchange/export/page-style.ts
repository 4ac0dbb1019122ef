/** Of the exported page: the colours of the app, in light and dark, without a font to load. */
export const pageStyle = `
:root{color-scheme:light dark;--line:light-dark(#d9dde3,#30363f);--quiet:light-dark(#55606e,#9aa5b3);--back:light-dark(#fff,#14171b);--raised:light-dark(#f5f7f9,#1b1f25);--bad:light-dark(#b3261e,#ff8a80);--text:light-dark(#1a1f26,#e6eaf0)}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px;max-width:1100px;background:var(--back);color:var(--text);font:14px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:20px;overflow-wrap:anywhere}
h2{margin:16px 0 4px;font-size:13px;color:var(--quiet)}
header p,footer p{margin:4px 0 16px;color:var(--quiet)}
details{border-top:1px solid var(--line)}
details[open]{padding-bottom:16px}
summary{display:grid;grid-template-columns:1ch 5ch 21ch 13ch 1fr auto 10ch;gap:12px;align-items:baseline;padding:6px 4px;cursor:pointer;font-variant-numeric:tabular-nums}
summary::before{content:'▸';color:var(--quiet)}
details[open]>summary::before{content:'▾'}
summary:focus-visible{outline:2px solid light-dark(#0b6bcb,#6cb2ff);outline-offset:-2px}
summary:hover{background:var(--raised)}
.n,.b,summary time{color:var(--quiet)}
.n,.b{text-align:right}
.a{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-family:ui-monospace,monospace;font-size:12px}
.bad{color:var(--bad);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:8px 0}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:10px 12px;overflow-x:auto;max-height:480px;background:var(--raised);border:1px solid var(--line);border-radius:6px;font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
@media(max-width:700px){summary{grid-template-columns:1ch 1fr auto}.a{grid-column:1/-1}}
@media print{details{break-inside:avoid}pre{max-height:none}}
`
