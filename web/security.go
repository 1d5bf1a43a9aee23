package web

// securityPath is the page of one's own password, codes and sessions.
const securityPath = "/app/configuracoes/seguranca"
