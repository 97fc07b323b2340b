"""The page in the browser, served from Python: `rubiks-gym play`. It needs `pip install "rubiks-gym[play]"`.

`command` is what the command line calls; `server` answers requests, `guard` says whose; `asked` reads what they ask for and
`catalogue` lists what there is; `jobs` keeps the queue and the processes of `worker`, in which all searches run; `limits` is
what one request may cost. README.md has the JSON interface.
"""
