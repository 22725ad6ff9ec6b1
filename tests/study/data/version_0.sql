BEGIN TRANSACTION;
CREATE TABLE claims (
	study VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	slot VARCHAR(64) NOT NULL, 
	judge VARCHAR(64) NOT NULL, 
	dealt INTEGER NOT NULL, 
	shown_at DOUBLE NOT NULL, 
	PRIMARY KEY (study, id), 
	UNIQUE (study, slot, dealt)
);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','c25e7333028d5b5cdcf45','s575934af-1','je6876e2e610a2555',1,1.76722560638403081894e+09);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','cda0f262ca508993ea7d1','s575934af-2','j76cf60832e3e2fbc',1,1.76722560875875210756e+09);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','c424e9f9cf60745d8caff','s575934af-3','j1a8b7251f5407881',1,1.76722561322408604623e+09);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','cd59340d265677bb7029b','s575934af-4','jfdcfc970c119ef36',1,1.76722561762447118757e+09);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','c13eb66cc90069f58a102','s575934af-5','jac2977a33a0bfeb9',1,1.76722562286023020749e+09);
INSERT INTO "claims" VALUES('b7a3a69636aa5ea5','cf1a4619aca1ff6667c96','s575934af-6','jf67b17a1c7a8e03f',1,1.76722562562876772881e+09);
CREATE TABLE events (
	seq INTEGER NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	at DOUBLE NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	judge VARCHAR(64), 
	data JSON NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "events" VALUES(1,'b7a3a69636aa5ea5',1767225600.0,'launched',NULL,'{"digest":"b7a3a69636aa5ea505099829366fbf4f741c336c5bc827ff6d63ed77a11aa3e1"}');
INSERT INTO "events" VALUES(2,'b7a3a69636aa5ea5',1.76722560538403081894e+09,'registered','je6876e2e610a2555','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(3,'b7a3a69636aa5ea5',1.76722560775875210756e+09,'registered','j76cf60832e3e2fbc','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(4,'b7a3a69636aa5ea5',1.7672256122240860462e+09,'registered','j1a8b7251f5407881','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(5,'b7a3a69636aa5ea5',1.76722561662447118753e+09,'registered','jfdcfc970c119ef36','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(6,'b7a3a69636aa5ea5',1.76722562186023020745e+09,'registered','jac2977a33a0bfeb9','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(7,'b7a3a69636aa5ea5',1.76722562462876772878e+09,'registered','jf67b17a1c7a8e03f','{"panel":"public","access":"open","client":"simulated judge"}');
INSERT INTO "events" VALUES(8,'b7a3a69636aa5ea5',1.76722562563196444514e+09,'finished','j76cf60832e3e2fbc','{}');
INSERT INTO "events" VALUES(9,'b7a3a69636aa5ea5',1.76722562884111714359e+09,'finished','jfdcfc970c119ef36','{}');
INSERT INTO "events" VALUES(10,'b7a3a69636aa5ea5',1.76722564018102693559e+09,'finished','je6876e2e610a2555','{}');
INSERT INTO "events" VALUES(11,'b7a3a69636aa5ea5',1.76722564602157783506e+09,'finished','j1a8b7251f5407881','{}');
INSERT INTO "events" VALUES(12,'b7a3a69636aa5ea5',1.76722566672021937366e+09,'finished','jac2977a33a0bfeb9','{}');
INSERT INTO "events" VALUES(13,'b7a3a69636aa5ea5',1.76722573736201548581e+09,'finished','jf67b17a1c7a8e03f','{}');
CREATE TABLE judgements (
	seq INTEGER NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	panel VARCHAR(64) NOT NULL, 
	judge VARCHAR(64) NOT NULL, 
	slot VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	triad VARCHAR(8) NOT NULL, 
	texts JSON NOT NULL, 
	items JSON NOT NULL, 
	answer INTEGER NOT NULL, 
	shown_at DOUBLE NOT NULL, 
	answered_at DOUBLE NOT NULL, 
	practice BOOLEAN NOT NULL, 
	surplus BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	highlights JSON NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	client TEXT NOT NULL, 
	replaces VARCHAR(64) NOT NULL, 
	claim VARCHAR(64) NOT NULL, 
	"key" VARCHAR(128) NOT NULL, 
	accepts VARCHAR(64), 
	PRIMARY KEY (seq), 
	UNIQUE (study, id), 
	UNIQUE (study, judge, "key"), 
	UNIQUE (study, accepts)
);
INSERT INTO "judgements" VALUES(1,'b7a3a69636aa5ea5','aa383afb8925eada71f14','public','j76cf60832e3e2fbc','s575934af-2',2,'BBA','["tc5416745c3f77c8","ta028584d8d67797","t8d6e4d1fc426b2d"]','["2","1","3"]',2,1.76722560875875210756e+09,1.76722562563196444514e+09,0,0,'','[]','en','simulated judge','','cda0f262ca508993ea7d1','cda0f262ca508993ea7d1','s575934af-2');
INSERT INTO "judgements" VALUES(2,'b7a3a69636aa5ea5','af6e78fd37b3716616c5a','public','jfdcfc970c119ef36','s575934af-4',4,'BAB','["tc5416745c3f77c8","t9efe363fe4aae95","tadb1c6f73e4f607"]','["2","1","3"]',1,1.76722561762447118757e+09,1.76722562884111714359e+09,0,0,'','[]','en','simulated judge','','cd59340d265677bb7029b','cd59340d265677bb7029b','s575934af-4');
INSERT INTO "judgements" VALUES(3,'b7a3a69636aa5ea5','abccb7f5c5f019e5a2549','public','je6876e2e610a2555','s575934af-1',1,'AAB','["t27ae47371d19ae5","t9efe363fe4aae95","tadb1c6f73e4f607"]','["2","1","3"]',2,1.76722560638403081894e+09,1.76722564018102693559e+09,0,0,'','[]','en','simulated judge','','c25e7333028d5b5cdcf45','c25e7333028d5b5cdcf45','s575934af-1');
INSERT INTO "judgements" VALUES(4,'b7a3a69636aa5ea5','a3041041656e5b995c3b1','public','j1a8b7251f5407881','s575934af-3',3,'ABB','["t27ae47371d19ae5","tadb1c6f73e4f607","ta028584d8d67797"]','["2","3","1"]',1,1.76722561322408604623e+09,1.76722564602157783506e+09,0,0,'','[]','en','simulated judge','','c424e9f9cf60745d8caff','c424e9f9cf60745d8caff','s575934af-3');
INSERT INTO "judgements" VALUES(5,'b7a3a69636aa5ea5','a6c163d49c22eb8e3d888','public','jac2977a33a0bfeb9','s575934af-5',5,'ABA','["t8d6e4d1fc426b2d","ta028584d8d67797","t27ae47371d19ae5"]','["3","1","2"]',1,1.76722562286023020749e+09,1.76722566672021937366e+09,0,0,'','[]','en','simulated judge','','c13eb66cc90069f58a102','c13eb66cc90069f58a102','s575934af-5');
INSERT INTO "judgements" VALUES(6,'b7a3a69636aa5ea5','ac68c251e5366f5f512ee','public','jf67b17a1c7a8e03f','s575934af-6',6,'BAA','["tc5416745c3f77c8","t8d6e4d1fc426b2d","t9efe363fe4aae95"]','["2","3","1"]',0,1.76722562562876772881e+09,1.76722573736201548581e+09,0,0,'','[]','en','simulated judge','','cf1a4619aca1ff6667c96','cf1a4619aca1ff6667c96','s575934af-6');
CREATE TABLE judges (
	study VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	panel VARCHAR(64) NOT NULL, 
	access VARCHAR(16) NOT NULL, 
	language VARCHAR(16) NOT NULL, 
	registered_at DOUBLE NOT NULL, 
	consented_at DOUBLE, 
	questions_at DOUBLE, 
	practised INTEGER NOT NULL, 
	practice_correct INTEGER NOT NULL, 
	answered INTEGER NOT NULL, 
	finished_at DOUBLE, 
	failed VARCHAR(32) NOT NULL, 
	withdrawn_at DOUBLE, 
	forgotten_at DOUBLE, 
	PRIMARY KEY (study, id)
);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','je6876e2e610a2555','public','simulated','en',1.76722560538403081894e+09,NULL,NULL,0,0,1,1.76722564018102693559e+09,'',NULL,NULL);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','j76cf60832e3e2fbc','public','simulated','en',1.76722560775875210756e+09,NULL,NULL,0,0,1,1.76722562563196444514e+09,'',NULL,NULL);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','j1a8b7251f5407881','public','simulated','en',1.7672256122240860462e+09,NULL,NULL,0,0,1,1.76722564602157783506e+09,'',NULL,NULL);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','jfdcfc970c119ef36','public','simulated','en',1.76722561662447118753e+09,NULL,NULL,0,0,1,1.76722562884111714359e+09,'',NULL,NULL);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','jac2977a33a0bfeb9','public','simulated','en',1.76722562186023020745e+09,NULL,NULL,0,0,1,1.76722566672021937366e+09,'',NULL,NULL);
INSERT INTO "judges" VALUES('b7a3a69636aa5ea5','jf67b17a1c7a8e03f','public','simulated','en',1.76722562462876772878e+09,NULL,NULL,0,0,1,1.76722573736201548581e+09,'',NULL,NULL);
CREATE TABLE links (
	study VARCHAR(64) NOT NULL, 
	selector VARCHAR(16) NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	panel VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	judge VARCHAR(64), 
	created_at DOUBLE NOT NULL, 
	number INTEGER NOT NULL, 
	PRIMARY KEY (study, selector)
);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','965a56039ee7','d59bf3e615cca80b478a85bb2a465adf','public','open',NULL,1767225600.0,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','8d7d5185d3ed','f0cdb4a3179d4d671499098eb2f2c1bc','public','personal','je6876e2e610a2555',1.76722560538403081894e+09,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','798368e2af9f','75743b3d9f981d8c3ddc36ee9ade2250','public','personal','j76cf60832e3e2fbc',1.76722560775875210756e+09,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','79fc2d28f311','b110d59169b25611c2fcf484c8b0265b','public','personal','j1a8b7251f5407881',1.7672256122240860462e+09,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','2bfd4909e5e3','629d9a9cdd418874f67c4d3e8dfb7849','public','personal','jfdcfc970c119ef36',1.76722561662447118753e+09,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','1c78ee192ecd','070fb7684160524c257e99861a373f9f','public','personal','jac2977a33a0bfeb9',1.76722562186023020745e+09,0);
INSERT INTO "links" VALUES('b7a3a69636aa5ea5','bcdfd3e8bd25','60d51390b0d936fc189a0dc0ec94432d','public','personal','jf67b17a1c7a8e03f',1.76722562462876772878e+09,0);
CREATE TABLE panels (
	study VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	evaluations INTEGER NOT NULL, 
	PRIMARY KEY (study, name)
);
INSERT INTO "panels" VALUES('b7a3a69636aa5ea5','public',1);
CREATE TABLE personal (
	study VARCHAR(64) NOT NULL, 
	judge VARCHAR(64) NOT NULL, 
	question VARCHAR(64) NOT NULL, 
	answer TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY (study, judge, question)
);
CREATE TABLE platform_ids (
	study VARCHAR(64) NOT NULL, 
	platform VARCHAR(32) NOT NULL, 
	person VARCHAR(256) NOT NULL, 
	judge VARCHAR(64) NOT NULL, 
	data JSON NOT NULL, 
	PRIMARY KEY (study, platform, person)
);
CREATE TABLE slots (
	study VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	panel VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	triad VARCHAR(8) NOT NULL, 
	texts JSON NOT NULL, 
	holder VARCHAR(64), 
	claim VARCHAR(64), 
	expires_at DOUBLE, 
	dealt INTEGER NOT NULL, 
	judgement VARCHAR(64), 
	PRIMARY KEY (study, id), 
	UNIQUE (study, panel, number)
);
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-1','public',1,1,1,'AAB','["t27ae47371d19ae5","t9efe363fe4aae95","tadb1c6f73e4f607"]','je6876e2e610a2555','c25e7333028d5b5cdcf45',1.767227406384030819e+09,1,'abccb7f5c5f019e5a2549');
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-2','public',2,1,2,'BBA','["tc5416745c3f77c8","ta028584d8d67797","t8d6e4d1fc426b2d"]','j76cf60832e3e2fbc','cda0f262ca508993ea7d1',1.76722740875875210762e+09,1,'aa383afb8925eada71f14');
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-3','public',3,1,3,'ABB','["t27ae47371d19ae5","tadb1c6f73e4f607","ta028584d8d67797"]','j1a8b7251f5407881','c424e9f9cf60745d8caff',1.76722741322408604617e+09,1,'a3041041656e5b995c3b1');
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-4','public',4,1,4,'BAB','["tc5416745c3f77c8","t9efe363fe4aae95","tadb1c6f73e4f607"]','jfdcfc970c119ef36','cd59340d265677bb7029b',1.76722741762447118759e+09,1,'af6e78fd37b3716616c5a');
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-5','public',5,1,5,'ABA','["t8d6e4d1fc426b2d","ta028584d8d67797","t27ae47371d19ae5"]','jac2977a33a0bfeb9','c13eb66cc90069f58a102',1.76722742286023020742e+09,1,'a6c163d49c22eb8e3d888');
INSERT INTO "slots" VALUES('b7a3a69636aa5ea5','s575934af-6','public',6,1,6,'BAA','["tc5416745c3f77c8","t8d6e4d1fc426b2d","t9efe363fe4aae95"]','jf67b17a1c7a8e03f','cf1a4619aca1ff6667c96',1.76722742562876772884e+09,1,'ac68c251e5366f5f512ee');
CREATE TABLE studies (
	id VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	launched_at DOUBLE NOT NULL, 
	frozen JSON NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "studies" VALUES('b7a3a69636aa5ea5','b7a3a69636aa5ea505099829366fbf4f741c336c5bc827ff6d63ed77a11aa3e1','Who wrote it?','open','simulated',1767225600.0,'{"digest":"b7a3a69636aa5ea505099829366fbf4f741c336c5bc827ff6d63ed77a11aa3e1","nlgauge":"0.1.0","study":{"protocol":"triangle","title":"Who wrote it?","goal":"difference","subjects":{"A":{"data":"","system":"","reference":0,"texts":[{"text":"a1","item":"","image":"","caption":"","context":""},{"text":"a2","item":"","image":"","caption":"","context":""},{"text":"a3","item":"","image":"","caption":"","context":""}],"items":[],"image":"","caption":"","context":"","name":""},"B":{"data":"","system":"","reference":0,"texts":[{"text":"b1","item":"","image":"","caption":"","context":""},{"text":"b2","item":"","image":"","caption":"","context":""},{"text":"b3","item":"","image":"","caption":"","context":""}],"items":[],"image":"","caption":"","context":"","name":""}},"panels":{"public":{"judges":6,"evaluations":1,"access":"open","kind":"people","recruitment":"","pay":"","description":""}},"question":{"":"Which text was written by a different author?"},"seed":7,"risks":{"alpha":0.05,"beta":0.05,"p_d":0.5},"instructions":null,"context":null,"languages":[],"inputs":"different","practice":{"triads":0,"items":[],"examples":[],"feedback":true,"required":0},"reasons":{"text":"no","highlight":"no"},"questions":[],"consent":null,"completion":{"text":null,"code":"","failed_code":"","redirect":"","failed_redirect":""},"timeout":30.0,"surplus":"exclude","extra":"refuse","corrections":"refuse","too_fast":3.0,"sequential":null,"ethics":{"approval":"","body":"","contact":"","retention_days":0}},"texts":[{"id":"t9efe363fe4aae95","subject":"A","item":"1","text":"a1","image":null,"caption":"","context":""},{"id":"t27ae47371d19ae5","subject":"A","item":"2","text":"a2","image":null,"caption":"","context":""},{"id":"t8d6e4d1fc426b2d","subject":"A","item":"3","text":"a3","image":null,"caption":"","context":""},{"id":"ta028584d8d67797","subject":"B","item":"1","text":"b1","image":null,"caption":"","context":""},{"id":"tc5416745c3f77c8","subject":"B","item":"2","text":"b2","image":null,"caption":"","context":""},{"id":"tadb1c6f73e4f607","subject":"B","item":"3","text":"b3","image":null,"caption":"","context":""}],"slots":[{"id":"s575934af-1","panel":"public","number":1,"block":1,"triad":"AAB","texts":["t27ae47371d19ae5","t9efe363fe4aae95","tadb1c6f73e4f607"]},{"id":"s575934af-2","panel":"public","number":2,"block":1,"triad":"BBA","texts":["tc5416745c3f77c8","ta028584d8d67797","t8d6e4d1fc426b2d"]},{"id":"s575934af-3","panel":"public","number":3,"block":1,"triad":"ABB","texts":["t27ae47371d19ae5","tadb1c6f73e4f607","ta028584d8d67797"]},{"id":"s575934af-4","panel":"public","number":4,"block":1,"triad":"BAB","texts":["tc5416745c3f77c8","t9efe363fe4aae95","tadb1c6f73e4f607"]},{"id":"s575934af-5","panel":"public","number":5,"block":1,"triad":"ABA","texts":["t8d6e4d1fc426b2d","ta028584d8d67797","t27ae47371d19ae5"]},{"id":"s575934af-6","panel":"public","number":6,"block":1,"triad":"BAA","texts":["tc5416745c3f77c8","t8d6e4d1fc426b2d","t9efe363fe4aae95"]}],"practice":[],"images":{}}');
CREATE INDEX links_by_judge ON links (study, judge);
CREATE INDEX slots_to_deal ON slots (study, panel, judgement, dealt, number);
CREATE INDEX slots_by_holder ON slots (study, holder);
CREATE INDEX events_by_kind ON events (study, kind);
COMMIT;
