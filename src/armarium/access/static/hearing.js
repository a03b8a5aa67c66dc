// Loaded before the frame: an archived page may have said all it has to say before frame.js runs.
window.armariumHeard = [];
window.armariumLoads = 0;
addEventListener("message", (event) => window.armariumHeard?.push(event));
document.addEventListener("load", (event) => (window.armariumLoads += event.target.id === "archived"), true);
